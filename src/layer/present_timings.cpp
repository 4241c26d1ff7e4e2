#include "layer/present_timings.h"

#include <algorithm>
#include <bit>

namespace tandem::layer {
namespace {

constexpr auto kFirstPixelOut =
    static_cast<std::size_t>(std::countr_zero(unsigned{VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT}));

}  // namespace

VkResult PresentTimings::SetQueueSize(std::uint32_t size) {
  const MutexLock lock(mutex_);
  if (queue_.size() > size) return VK_NOT_READY;
  queue_.reserve(size);
  size_ = size;
  return VK_SUCCESS;
}

VkResult PresentTimings::Ask(const VkPresentTimingInfoEXT& info, std::uint64_t present_id) {
  if (info.presentStageQueries == 0) return VK_SUCCESS;
  const MutexLock lock(mutex_);
  if (queue_.size() >= size_) return VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT;
  queue_.push_back(
      {presented_ + 1, present_id, info.targetTime, info.timeDomainId, info.presentStageQueries, StageTimes{}, false, false});
  return VK_SUCCESS;
}

void PresentTimings::Presented(bool accepted) {
  const MutexLock lock(mutex_);
  if (accepted) {
    ++presented_;
  } else if (!queue_.empty() && queue_.back().number > presented_) {
    queue_.pop_back();
  }
}

void PresentTimings::Report(const swapchain::FrameLine& line) {
  if (next_ != nullptr) next_->Report(line);
  const MutexLock lock(mutex_);
  const auto frame = std::ranges::find(queue_, line.number, &Frame::number);
  if (frame == queue_.end()) return;
  const std::int64_t copied_ns = line.copy.end_ns != 0 ? line.copy.end_ns : line.copied_ns;
  frame->times = {copied_ns, line.flip_queued_ns, line.shown_ns, 0};
  frame->reported = true;
}

void PresentTimings::AskDisplay(Frame& frame, const SeenAt& seen_at) {
  std::int64_t& out_ns = frame.times[kFirstPixelOut];
  if (!frame.reported || frame.complete) return;
  const system::Seen seen = out_ns == 0 ? system::Seen{} : seen_at(out_ns);
  frame.complete = seen.fate != system::Fate::kPending;
  if (seen.fate == system::Fate::kSeen) out_ns = seen.at_ns;
  if (seen.fate == system::Fate::kReplaced) out_ns = 0;
}

void PresentTimings::KeepOrder(StageTimes& times) {
  for (std::size_t stage = 0; stage < times.size(); ++stage) {
    if (times[stage] == 0) continue;
    times[stage] = last_[stage] = std::max(times[stage], last_[stage] + 1);
  }
}

VkResult PresentTimings::Write(const Frame& frame, VkPastPresentationTimingEXT& out) {
  out.presentId = frame.present_id;
  out.targetTime = frame.target_time;
  out.timeDomainId = frame.domain_id;
  out.timeDomain = frame.domain_id - 1 < kSwapchainDomains.size() ? kSwapchainDomains[frame.domain_id - 1]
                                                                  : VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT;
  out.reportComplete = VK_TRUE;
  std::uint32_t given = 0;
  for (VkPresentStageFlagsEXT left = frame.stages; left != 0 && given < out.presentStageCount; left &= left - 1) {
    const auto place = static_cast<std::size_t>(std::countr_zero(left));
    const std::int64_t time_ns = place < frame.times.size() ? frame.times[place] : 0;
    out.pPresentStages[given++] = {VkPresentStageFlagsEXT{1} << place, static_cast<std::uint64_t>(time_ns)};
  }
  out.presentStageCount = given;
  return given == static_cast<std::uint32_t>(std::popcount(frame.stages)) ? VK_SUCCESS : VK_INCOMPLETE;
}

VkResult PresentTimings::Take(VkPastPresentationTimingPropertiesEXT& past, const SeenAt& seen_at) {
  past.timingPropertiesCounter = past.timeDomainsCounter = kTimingCounter;
  const MutexLock lock(mutex_);
  for (Frame& frame : queue_) AskDisplay(frame, seen_at);
  const auto end = std::ranges::find(queue_, false, &Frame::complete);
  const auto complete = static_cast<std::uint32_t>(end - queue_.begin());
  if (past.pPresentationTimings == nullptr) {
    past.presentationTimingCount = complete;
    return VK_SUCCESS;
  }
  const std::uint32_t given = std::min(past.presentationTimingCount, complete);
  VkResult result = given < complete ? VK_INCOMPLETE : VK_SUCCESS;
  for (std::uint32_t i = 0; i < given; ++i) {
    KeepOrder(queue_[i].times);
    if (Write(queue_[i], past.pPresentationTimings[i]) != VK_SUCCESS) result = VK_INCOMPLETE;
  }
  queue_.erase(queue_.begin(), queue_.begin() + given);
  past.presentationTimingCount = given;
  return result;
}

}  // namespace tandem::layer
