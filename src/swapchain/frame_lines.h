// Collects what becomes of each frame until it is shown or given up, and tells it. Internal to the module.
#pragma once

#include <array>
#include <cstdint>

#include "base/limits.h"
#include "link/governor/encoding_policy.h"
#include "swapchain/frame_line.h"
#include "swapchain/frame_schedule.h"

namespace tandem::swapchain {

// Under the swap chain's lock. Allocates nothing. Without a sink all calls do nothing.
class FrameLines {
 public:
  // `sink` outlives it; null: nobody wants to know.
  explicit FrameLines(FrameSink* sink) : sink_(sink) {}

  void Acquired(std::uint32_t image, std::int64_t now_ns) { acquired_ns_[image] = now_ns; }
  // The schedule has accepted its frame number schedule.presented().
  void Presented(std::uint32_t image, std::int64_t now_ns, const FrameSchedule& schedule);
  // `held`: it had to wait.
  void Queued(std::uint64_t number, bool held);
  void Sent(std::uint64_t number, const link::SentFrame& sent, std::string_view cause);
  void Flipped(std::uint64_t number, ShownBy by);
  // Those before it have been replaced.
  void Shown(std::uint64_t number, std::int64_t now_ns, std::int64_t decode_ns);
  // Nothing is shown any more.
  void End();

 private:
  // More than a schedule can have waiting, in buffers and on primaries; others were replaced.
  static constexpr std::size_t kMostUnderWay = 64;
  static_assert(kMostUnderWay > kMaxAppImages + kMaxBuffers + kMaxPrimaries);

  [[nodiscard]] FrameLine* Find(std::uint64_t number);
  void TellUpTo(std::uint64_t number);
  void Report(FrameLine& line);

  FrameSink* sink_;
  std::array<std::int64_t, kMaxAppImages> acquired_ns_{};
  std::array<FrameLine, kMostUnderWay> lines_{};  // number 0: free
};

}  // namespace tandem::swapchain
