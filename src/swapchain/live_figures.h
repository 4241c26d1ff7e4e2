// The state of a swap chain, for monitoring a running program.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "link/governor/encoding_policy.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

// Totals cover the whole life of the swap chain so far.
struct LiveFigures {
  std::int64_t now_ns = 0;
  std::uint64_t frames_presented = 0;
  std::uint64_t frames_shown = 0;
  std::uint64_t frames_dropped = 0;
  std::uint64_t link_bytes = 0;                     // bytes copied or encoded towards the display adapter
  std::uint64_t lossy_frames = 0;                   // kLossless frames that lost low bits to SwapChainDesc::frame_bytes
  std::int64_t latency_sum_ns = 0;                  // present to vertical blank, summed over the frames shown
  ShownBy shown_by = ShownBy::kScanOut;             // the last frame
  std::string_view shown_by_reason;                 // reason of the last change; empty: there was no change
  std::string_view display;                         // name of the display adapter
  const PathDecision* decision = nullptr;           // never null in a report
  const link::EncodingPolicy* encodings = nullptr;  // compressed path only
  std::optional<link::LinkEncoding> encoding;       // encoding of the last queued frame
};

// Period of the reports while frames come; the first frames are reported at once.
inline constexpr std::int64_t kLivePeriodNs = 250'000'000;
// Longest further delay, so that a report comes when all presented frames are shown, after which a program may rest.
inline constexpr std::int64_t kLivePatienceNs = 100'000'000;
inline constexpr std::uint64_t kLiveFirstFrames = 4;

// The display thread calls Report() under the swap chain's lock. Report() must not block, allocate or call the swap chain.
// Pointers in the figures are valid during the call only.
class LiveSink {
 public:
  virtual ~LiveSink() = default;
  virtual void Report(const LiveFigures& figures) = 0;
};

}  // namespace tandem::swapchain
