// How a swap chain stands, for whoever looks at the program while it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "link/governor/encoding_policy.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

// Of the whole life of the swap chain so far.
struct LiveFigures {
  std::int64_t now_ns = 0;
  std::uint64_t frames_presented = 0;
  std::uint64_t frames_shown = 0;
  std::uint64_t frames_dropped = 0;
  std::uint64_t link_bytes = 0;                     // that were copied or encoded towards the display adapter
  std::uint64_t lossy_frames = 0;                   // of the lossless ones: that lost low bits to SwapChainDesc::frame_bytes
  std::int64_t latency_sum_ns = 0;                  // present to vertical blank, of the frames shown
  ShownBy shown_by = ShownBy::kScanOut;             // the last frame
  std::string_view shown_by_reason;                 // since when it is so; empty: always
  const link::EncodingPolicy* encodings = nullptr;  // of the compressed path
  std::optional<link::LinkEncoding> encoding;       // of the last frame that was queued
};

// How often it is told while frames come; the first frames at once.
inline constexpr std::int64_t kLivePeriodNs = 250'000'000;
// And how much later at most, so that it is told when all that was presented is shown: a program may rest then.
inline constexpr std::int64_t kLivePatienceNs = 100'000'000;
inline constexpr std::uint64_t kLiveFirstFrames = 4;

// Told by the display thread, under the swap chain's lock: neither blocks nor allocates, and calls nothing of the swap chain's.
// What the figures point to is valid during the call.
class LiveSink {
 public:
  virtual ~LiveSink() = default;
  virtual void Report(const LiveFigures& figures) = 0;
};

}  // namespace tandem::swapchain
