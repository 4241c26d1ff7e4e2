// The life of each presented frame, for a log of frames.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/pass_meter.h"
#include "link/governor/encoding_policy.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

// Times come from the swap chain's clock; 0: the frame did not get so far.
struct FrameLine {
  std::uint64_t number = 0;  // 1, 2, 3 … in the order of the presents
  std::int64_t acquired_ns = 0;
  std::int64_t presented_ns = 0;
  // The copy by the render adapter, as its engine reports it. 0: there was no copy, or the driver reports no times.
  PassTimes copy;
  std::int64_t copied_ns = 0;  // the display thread has seen the copy complete; without a copy: the rendering
  std::int64_t flip_queued_ns = 0;
  std::int64_t shown_ns = 0;   // 0: a later frame replaced it, or the swap chain ended before
  Path path = Path::kTwoCopy;  // the frame's, or the one that it would have taken
  bool held = false;           // the frame waited for a buffer, for earlier frames or for their reported cost
  ShownBy shown_by = ShownBy::kScanOut;
  // Set on the compressed path once the frame has crossed; empty before.
  std::optional<link::LinkEncoding> encoding;
  std::string_view cause;       // EncodingPolicy::Cause
  std::uint64_t bytes = 0;      // bytes that crossed the link
  std::int64_t encode_ns = 0;   // time of the render adapter's engine
  std::int64_t link_ns = 0;     // 0: unknown
  std::int64_t decode_ns = 0;   // time of the display adapter's engine; 0: unknown
  std::uint32_t unchanged = 0;  // SentFrame::unchanged
  bool lossy = false;           // SentFrame::lossy
};

// Receives each presented frame once: a shown one when it is shown, a replaced one when that is known. Any of the swap chain's
// threads calls Report() under its lock. Report() must not block, allocate or call the swap chain.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual void Report(const FrameLine& line) = 0;
};

}  // namespace tandem::swapchain
