#include "status/figures.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "swapchain/swap_chain.h"

namespace tandem::status {
namespace {

// Counts a present once if several swap chains saw it on a shared adapter.
std::vector<PresentSpan> Merged(std::vector<PresentSpan> spans) {
  std::ranges::sort(spans, {}, [](const PresentSpan& span) { return std::pair(span.adapter, span.from); });
  std::vector<PresentSpan> merged;
  for (const PresentSpan& span : spans) {
    if (merged.empty() || merged.back().adapter != span.adapter || merged.back().to < span.from) {
      merged.push_back(span);
    } else {
      merged.back().to = std::max(merged.back().to, span.to);
    }
  }
  return merged;
}

}  // namespace

double PerSecond(const SwapChainRecord& record) {
  const swapchain::Statistics& statistics = record.statistics;
  if (statistics.frames_shown < 2 || statistics.shown_ns <= 0) return 0.0;
  return static_cast<double>(statistics.frames_shown - 1) * 1e9 / static_cast<double>(statistics.shown_ns);
}

double WallPerFrame(const SwapChainRecord& record) {
  const std::uint64_t frames = record.statistics.frames_presented;
  return PerFrame(InMilliseconds(record.wall_ns), frames > 1 ? frames - 1 : 0);
}

double CopiesPerFrame(const swapchain::Statistics& statistics) {
  return PerFrame(statistics.full_frame_copies, statistics.frames_shown);
}

std::uint64_t EncodedFrames(const swapchain::Statistics& statistics) {
  return std::accumulate(statistics.frames_by_encoding.begin(), statistics.frames_by_encoding.end(), std::uint64_t{0});
}

std::uint64_t CountOf(const std::vector<PresentSpan>& spans) {
  std::uint64_t count = 0;
  for (const PresentSpan& span : spans) count += span.to - span.from;
  return count;
}

void Add(SwapChainRecord& all, const SwapChainRecord& one) {
  all.output_written_bytes += one.output_written_bytes;
  all.presents.insert(all.presents.end(), one.presents.begin(), one.presents.end());
  all.presents = Merged(std::move(all.presents));
  swapchain::Statistics& sum = all.statistics;
  const swapchain::Statistics& part = one.statistics;
  sum.frames_presented += part.frames_presented;
  sum.frames_shown += part.frames_shown;
  sum.frames_dropped += part.frames_dropped;
  sum.frames_composed += part.frames_composed;
  sum.full_frame_copies += part.full_frame_copies;
  sum.bytes_moved += part.bytes_moved;
  sum.counts_passes = sum.counts_passes && part.counts_passes;
}

std::uint64_t TrackedLink(const SwapChainRecord& record) {
  const swapchain::Statistics& statistics = record.statistics;
  if (record.emulated_link != 0 || statistics.link_ns == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(statistics.link_timed_bytes) * 1e9 /
                                    static_cast<double>(statistics.link_ns));
}

std::uint64_t FramesIn(link::LinkEncoding encoding, const swapchain::Statistics& statistics) {
  const std::uint64_t frames = statistics.frames_by_encoding[static_cast<std::uint32_t>(encoding)];
  return encoding == link::LinkEncoding::kLossless ? frames - statistics.lossy_frames : frames;
}

bool IsEncoded(const swapchain::PathDecision& decision) {
  return decision.path == swapchain::Path::kCompressed || decision.encoding != link::LinkEncoding::kPlain;
}

}  // namespace tandem::status
