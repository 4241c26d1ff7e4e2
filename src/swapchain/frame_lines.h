// Collects each frame's line until the frame is shown or dropped, then reports it. Internal to the module.
#pragma once

#include <array>
#include <cstdint>

#include "base/limits.h"
#include "link/governor/encoding_policy.h"
#include "swapchain/frame_line.h"
#include "swapchain/frame_schedule.h"

namespace tandem::swapchain {

// Called under the swap chain's lock. Allocates nothing. All calls do nothing without a sink.
class FrameLines {
 public:
  // `sink` must outlive the lines; null: no log.
  explicit FrameLines(FrameSink* sink) : sink_(sink) {}

  void Acquired(std::uint32_t image, std::int64_t now_ns) { acquired_ns_[image] = now_ns; }
  // Precondition: the schedule has accepted the frame as number schedule.presented().
  void Presented(std::uint32_t image, std::int64_t now_ns, Path path, const FrameSchedule& schedule);
  // The copy is about to be queued. `held`: the frame had to wait. `meter` counts the passes of the copy; null: nobody does.
  void Queued(const CopyWork& copy, Path path, bool held, PassMeter* meter);
  // Serials of copies begin again.
  void BeginAgain() { copied_ = 0; }
  // All copies up to `serial` are complete.
  void Copied(std::uint64_t serial, std::int64_t now_ns);
  void Sent(std::uint64_t number, const link::SentFrame& sent, std::string_view cause);
  // `queued_ns`: time when the flip was about to be queued.
  void Flipped(std::uint64_t number, ShownBy by, std::int64_t queued_ns);
  // Reports the frame and all earlier ones, which it replaced.
  void Shown(std::uint64_t number, std::int64_t now_ns, std::int64_t decode_ns);
  // Reports all frames left; no further one is shown.
  void End();

 private:
  // More than a schedule can hold as waiting, in buffers and on primaries; other frames were replaced.
  static constexpr std::size_t kMostUnderWay = 64;
  static_assert(kMostUnderWay > kMaxAppImages + kMaxBuffers + kMaxPrimaries);

  struct Copy {
    std::uint64_t frame = 0;
    PassMeter* meter = nullptr;
  };

  [[nodiscard]] FrameLine* Find(std::uint64_t number);
  void TellUpTo(std::uint64_t number);
  void Report(FrameLine& line);

  FrameSink* sink_;
  std::array<std::int64_t, kMaxAppImages> acquired_ns_{};
  std::array<FrameLine, kMostUnderWay> lines_{};  // number 0: free
  std::array<Copy, kMaxBuffers> copies_{};        // indexed by serial
  std::uint64_t copied_ = 0;                      // latest serial given to Copied()
};

}  // namespace tandem::swapchain
