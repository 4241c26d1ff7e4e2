#include "status/frame_queue.h"

#include <utility>

namespace tandem::status {

void FrameQueue::Report(const swapchain::FrameLine& line) {
  const std::uint64_t added = added_.load(std::memory_order_relaxed);
  if (added - taken_.load(std::memory_order_acquire) == entries_.size()) {
    ++lost_;
    return;
  }
  entries_[added % entries_.size()] = {line, std::exchange(lost_, 0)};
  added_.store(added + 1, std::memory_order_release);
}

bool FrameQueue::Take(Entry& entry) {
  const std::uint64_t taken = taken_.load(std::memory_order_relaxed);
  if (taken == added_.load(std::memory_order_acquire)) return false;
  entry = entries_[taken % entries_.size()];
  taken_.store(taken + 1, std::memory_order_release);
  return true;
}

}  // namespace tandem::status
