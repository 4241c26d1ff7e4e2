#include "swapchain/shown_figures.h"

#include <utility>

#include "base/log.h"

namespace tandem::swapchain {

void ShownFigures::OnFlipped(const FlipWork& work, ShownBy by, std::optional<std::string> reason) {
  composed_ += by == ShownBy::kComposition ? 1 : 0;
  shown_by_ = by;
  if (!reason) return;
  const std::uint64_t frame = flips_before_ + work.serial;
  Log(LogLevel::kInfo, "From frame {} on: {}; {}", frame, ToString(by), *reason);
  if (events_.size() == kMaxPathEvents) events_.erase(events_.begin());
  events_.push_back({frame, by, *std::move(reason)});
}

void ShownFigures::OnShown(std::int64_t presented_ns, std::int64_t now_ns) {
  latency_sum_ns_ += now_ns - presented_ns;
  if (!first_shown_ns_) first_shown_ns_ = now_ns;
  last_shown_ns_ = now_ns;
}

bool ShownFigures::TakeReport(std::int64_t now_ns, std::uint64_t frames_shown, bool idle) {
  if (reported_ns_ && frames_shown > kLiveFirstFrames) {
    const std::int64_t elapsed_ns = now_ns - *reported_ns_;
    if (elapsed_ns < kLivePeriodNs || (elapsed_ns < kLivePeriodNs + kLivePatienceNs && !idle)) return false;
  }
  reported_ns_ = now_ns;
  return true;
}

void ShownFigures::Fill(LiveFigures& figures) const {
  figures.latency_sum_ns = latency_sum_ns_;
  figures.shown_by = shown_by_;
  if (!events_.empty()) figures.shown_by_reason = events_.back().reason;
}

void ShownFigures::Fill(Statistics& statistics) const {
  statistics.frames_composed = composed_;
  if (first_shown_ns_) statistics.shown_ns = last_shown_ns_ - *first_shown_ns_;
}

}  // namespace tandem::swapchain
