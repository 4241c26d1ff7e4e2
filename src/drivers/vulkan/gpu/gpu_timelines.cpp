// The timelines of a device: new ones, used ones, and the end of those that are left.
#include "drivers/vulkan/gpu/gpu.h"

namespace tandem::vulkan {
namespace {

// Work that is older than everything that the end of a device waits for has this time to end.
constexpr std::uint64_t kLastWorkTimeoutNs = 2'000'000'000;

}  // namespace

VkResult Gpu::CreateTimeline(VkSemaphore& out) const {
  if (fences_ != nullptr) {
    out = fences_->MakeTimeline();
    return VK_SUCCESS;
  }
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  return vk_.CreateSemaphore(device_, &info, nullptr, &out);
}

VkResult Gpu::TakeTimeline(VkSemaphore& out, std::uint64_t& value) {
  {
    const std::lock_guard<std::mutex> lock(timelines_mutex_);
    if (!used_timelines_.empty() && !lost()) {
      out = used_timelines_.back().semaphore;
      value = used_timelines_.back().value;
      used_timelines_.pop_back();
      return VK_SUCCESS;
    }
  }
  value = 0;
  return CreateTimeline(out);
}

void Gpu::GiveTimelineBack(VkSemaphore timeline, std::uint64_t value) {
  if (timeline == VK_NULL_HANDLE) return;
  const std::lock_guard<std::mutex> lock(timelines_mutex_);
  used_timelines_.push_back({timeline, value});
}

bool Gpu::AwaitBorrowedQueues() {
  const VkQueue copies = queues_[kCopyNode].handle;
  if (AwaitQueue(copies) == VK_TIMEOUT) return false;
  return compute_.handle == VK_NULL_HANDLE || compute_.handle == copies || AwaitQueue(compute_.handle) != VK_TIMEOUT;
}

void Gpu::AwaitLost() {
  if (!lost() || !borrowed() || abandoned()) return;
  std::call_once(awaited_, [this] {
    if (!AwaitBorrowedQueues()) Abandon();
  });
}

// By a fence: the program's own threads use the queue, too, and shall not wait for its lock.
VkResult Gpu::AwaitQueue(VkQueue queue) {
  VkFenceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkFence fence = VK_NULL_HANDLE;
  if (const VkResult result = vk_.CreateFence(device_, &info, nullptr, &fence); result != VK_SUCCESS) return VK_TIMEOUT;
  VkSubmitInfo nothing{};
  nothing.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  VkResult result = VK_SUCCESS;
  {
    const std::lock_guard<std::mutex> lock(locks_->For(queue));
    result = vk_.QueueSubmit(queue, 1, &nothing, fence);
  }
  if (result == VK_SUCCESS) result = vk_.WaitForFences(device_, 1, &fence, VK_TRUE, kLastWorkTimeoutNs);
  if (result != VK_TIMEOUT) vk_.DestroyFence(device_, fence, nullptr);
  return result;
}

}  // namespace tandem::vulkan
