// Figures that a swap chain's record yields.
#pragma once

#include <cstdint>
#include <vector>

#include "link/governor/encodings.h"
#include "status/swap_chain_record.h"
#include "swapchain/swap_chain.h"

namespace tandem::status {

[[nodiscard]] inline double InMilliseconds(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }
// 0 without frames.
[[nodiscard]] inline double PerFrame(double amount, std::uint64_t frames) {
  return frames == 0 ? 0.0 : amount / static_cast<double>(frames);
}
// Frame rate from the first shown frame to the last.
[[nodiscard]] double PerSecond(const SwapChainRecord& record);
// Milliseconds, mean time between presents.
[[nodiscard]] double WallPerFrame(const SwapChainRecord& record);
[[nodiscard]] double CopiesPerFrame(const swapchain::Statistics& statistics);
[[nodiscard]] std::uint64_t EncodedFrames(const swapchain::Statistics& statistics);
// Lossless frames that lost low bits do not count as lossless.
[[nodiscard]] std::uint64_t FramesIn(link::LinkEncoding encoding, const swapchain::Statistics& statistics);
// Bandwidth of the frames' bytes, if their time on the link was measured; 0 if it was not, or the link is emulated.
[[nodiscard]] std::uint64_t TrackedLink(const SwapChainRecord& record);
// True if frames are encoded, even when nothing decodes them.
[[nodiscard]] bool IsEncoded(const swapchain::PathDecision& decision);
[[nodiscard]] std::uint64_t CountOf(const std::vector<PresentSpan>& spans);

// Sums over swap chains. A present that several of them saw on a shared adapter counts once.
void Add(SwapChainRecord& all, const SwapChainRecord& one);

}  // namespace tandem::status
