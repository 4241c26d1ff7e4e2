// What became of each presented frame, for whoever keeps a log of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "link/governor/encoding_policy.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

// Times are the swap chain's clock's; 0: it did not come so far.
struct FrameLine {
  std::uint64_t number = 0;  // 1, 2, 3 … in the order of the presents
  std::int64_t acquired_ns = 0;
  std::int64_t presented_ns = 0;
  std::int64_t shown_ns = 0;  // 0: it was replaced by a later one, or the swap chain ended before
  bool held = false;          // it waited for a buffer, for those before, or for what others told of them
  ShownBy shown_by = ShownBy::kScanOut;
  // Of the compressed path, once the frame has crossed; nothing before.
  std::optional<link::LinkEncoding> encoding;
  std::string_view cause;       // EncodingPolicy::Cause
  std::uint64_t bytes = 0;      // that crossed
  std::int64_t encode_ns = 0;   // of the render adapter's engine
  std::int64_t link_ns = 0;     // 0: there is no link to speak of
  std::int64_t decode_ns = 0;   // of the display adapter's engine; 0: not known
  std::uint32_t unchanged = 0;  // SentFrame::unchanged
  bool lossy = false;           // SentFrame::lossy
};

// Told once of each presented frame: of one that was shown, then; of one that was replaced, when it is known. Under the swap
// chain's lock and by any of its threads: neither blocks nor allocates, and calls nothing of the swap chain's.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual void Report(const FrameLine& line) = 0;
};

}  // namespace tandem::swapchain
