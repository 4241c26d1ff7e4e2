#include "drivers/vulkan/gpu/fence_timelines.h"

#include <algorithm>

#include "base/check.h"
#include "base/clock.h"

namespace tandem::vulkan {
namespace {

// A submission that waits longer for a value, or for a fence of its own, waits for a device that is stuck.
constexpr std::uint64_t kStuckTimeoutNs = 2'000'000'000;

const VkTimelineSemaphoreSubmitInfo* ValuesOf(const VkSubmitInfo& info) {
  for (auto next = static_cast<const VkBaseInStructure*>(info.pNext); next != nullptr; next = next->pNext) {
    if (next->sType == VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO) {
      return reinterpret_cast<const VkTimelineSemaphoreSubmitInfo*>(next);
    }
  }
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<FenceTimelines>> FenceTimelines::Create(const Dispatch& vk, VkDevice device, std::uint32_t family) {
  std::unique_ptr<FenceTimelines> self(new FenceTimelines(vk, device));
  if (const VkResult result = self->MakeObjects(family); result != VK_SUCCESS) {
    return Fail(ToErrorKind(result, ErrorKind::kOutOfMemory), "Fences for timelines cannot be made: {}.", ToString(result));
  }
  return self;
}

VkResult FenceTimelines::MakeObjects(std::uint32_t family) {
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  for (Pending& pending : ring_) {
    if (const VkResult result = vk_.CreateFence(device_, &fence, nullptr, &pending.fence); result != VK_SUCCESS) {
      pending.fence = VK_NULL_HANDLE;
      return result;
    }
  }
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = family;
  if (const VkResult result = vk_.CreateCommandPool(device_, &pool, nullptr, &pool_); result != VK_SUCCESS) {
    pool_ = VK_NULL_HANDLE;
    return result;
  }
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = pool_;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  VkResult result = vk_.AllocateCommandBuffers(device_, &allocate, &barrier_);
  if (result != VK_SUCCESS) return result;
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  result = vk_.BeginCommandBuffer(barrier_, &begin);
  if (result != VK_SUCCESS) return result;
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  vk_.CmdPipelineBarrier(barrier_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &memory, 0,
                         nullptr, 0, nullptr);
  return vk_.EndCommandBuffer(barrier_);
}

FenceTimelines::~FenceTimelines() {
  if (pool_ != VK_NULL_HANDLE) vk_.DestroyCommandPool(device_, pool_, nullptr);
  for (const Pending& pending : ring_) {
    if (pending.fence != VK_NULL_HANDLE) vk_.DestroyFence(device_, pending.fence, nullptr);
  }
}

VkSemaphore FenceTimelines::MakeTimeline() {
  auto timeline = std::make_unique<Timeline>();
  // The address is the handle: it differs from those of the driver's objects, which are handles or addresses, too.
  const auto handle = reinterpret_cast<VkSemaphore>(timeline.get());
  const Lock lock(mutex_);
  timelines_.emplace(handle, std::move(timeline));
  return handle;
}

FenceTimelines::Timeline* FenceTimelines::Find(VkSemaphore semaphore) {
  const auto found = timelines_.find(semaphore);
  return found == timelines_.end() ? nullptr : found->second.get();
}

bool FenceTimelines::Destroy(VkSemaphore semaphore) {
  const Lock lock(mutex_);
  const Timeline* const gone = Find(semaphore);
  if (gone == nullptr) return false;
  for (Pending& pending : ring_) {
    for (Pending::Signalled& signalled : pending.signals) {
      if (signalled.timeline == gone) signalled.timeline = nullptr;
    }
  }
  timelines_.erase(semaphore);
  return true;
}

std::uint64_t FenceTimelines::Signalling(const Timeline& timeline, std::uint64_t value) {
  for (std::uint64_t number = first_; number < last_; ++number) {
    const Pending& pending = At(number);
    for (std::uint32_t i = 0; i < pending.count; ++i) {
      if (pending.signals[i].timeline == &timeline && pending.signals[i].value >= value) return number;
    }
  }
  return last_;
}

// The queue ends its work in order, so earlier submissions have ended as well.
void FenceTimelines::Complete(std::uint64_t number) {
  for (; first_ <= number; ++first_) {
    Pending& pending = At(first_);
    for (std::uint32_t i = 0; i < pending.count; ++i) {
      Timeline* const timeline = pending.signals[i].timeline;
      if (timeline != nullptr) timeline->value = std::max(timeline->value, pending.signals[i].value);
    }
    pending.count = 0;
  }
}

VkResult FenceTimelines::AwaitPending(Lock& lock, std::uint64_t number, std::uint64_t timeout_ns) {
  Pending& pending = At(number);
  ++pending.waiters;
  lock.unlock();
  const VkResult result = vk_.WaitForFences(device_, 1, &pending.fence, VK_TRUE, timeout_ns);
  lock.lock();
  --pending.waiters;
  if (result == VK_SUCCESS) Complete(number);
  changed_.NotifyAll();
  return result;
}

VkResult FenceTimelines::TakeSlot(Lock& lock) {
  while (last_ - first_ == kMaxPending) {
    const VkResult result = AwaitPending(lock, first_, kStuckTimeoutNs);
    if (result != VK_SUCCESS) return result == VK_TIMEOUT ? VK_ERROR_DEVICE_LOST : result;
  }
  Pending& slot = At(last_);
  changed_.Wait(lock, [&slot] { return slot.waiters == 0; });
  slot.count = 0;
  return vk_.ResetFences(device_, 1, &slot.fence);
}

// The driver's queues are given work whose waits were submitted before, so this returns at once.
bool FenceTimelines::IsComing(Lock& lock, const Timeline& timeline, std::uint64_t value) {
  Clock& clock = MonotonicClock();
  const std::int64_t deadline_ns = clock.NowNs() + static_cast<std::int64_t>(kStuckTimeoutNs);
  while (std::max(timeline.value, timeline.submitted) < value) {
    if (!clock.WaitUntil(lock, changed_, deadline_ns)) return false;
  }
  return true;
}

VkResult FenceTimelines::Submit(VkQueue queue, const VkSubmitInfo& info, VkFence fence) {
  TANDEM_CHECK(info.waitSemaphoreCount <= kMaxSemaphores && info.signalSemaphoreCount <= kMaxSemaphores &&
               info.commandBufferCount <= 1);
  const VkTimelineSemaphoreSubmitInfo* const values = ValuesOf(info);
  Lock lock(mutex_);
  std::array<VkSemaphore, kMaxSemaphores> waits{};
  std::array<VkPipelineStageFlags, kMaxSemaphores> stages{};
  std::array<VkSemaphore, kMaxSemaphores> binary_signals{};
  std::array<VkCommandBuffer, 2> commands{};
  VkSubmitInfo real{};
  real.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  for (std::uint32_t i = 0; i < info.waitSemaphoreCount; ++i) {
    if (const Timeline* const timeline = Find(info.pWaitSemaphores[i])) {
      if (!IsComing(lock, *timeline, values->pWaitSemaphoreValues[i])) return VK_ERROR_DEVICE_LOST;
      commands[0] = barrier_;
      real.commandBufferCount = 1;
      continue;
    }
    stages[real.waitSemaphoreCount] = info.pWaitDstStageMask[i];
    waits[real.waitSemaphoreCount++] = info.pWaitSemaphores[i];
  }
  if (info.commandBufferCount != 0) commands[real.commandBufferCount++] = info.pCommandBuffers[0];
  std::array<Pending::Signalled, kMaxSemaphores> signals{};
  std::uint32_t signal_count = 0;
  for (std::uint32_t i = 0; i < info.signalSemaphoreCount; ++i) {
    if (Timeline* const timeline = Find(info.pSignalSemaphores[i])) {
      signals[signal_count++] = {timeline, values->pSignalSemaphoreValues[i]};
    } else {
      binary_signals[real.signalSemaphoreCount++] = info.pSignalSemaphores[i];
    }
  }
  real.pWaitSemaphores = waits.data();
  real.pWaitDstStageMask = stages.data();
  real.pCommandBuffers = commands.data();
  real.pSignalSemaphores = binary_signals.data();
  if (signal_count == 0) return vk_.QueueSubmit(queue, 1, &real, fence);
  if (const VkResult result = TakeSlot(lock); result != VK_SUCCESS) return result;
  Pending& slot = At(last_);
  if (const VkResult result = vk_.QueueSubmit(queue, 1, &real, slot.fence); result != VK_SUCCESS) return result;
  slot.signals = signals;
  slot.count = signal_count;
  ++last_;
  for (std::uint32_t i = 0; i < signal_count; ++i) {
    signals[i].timeline->submitted = std::max(signals[i].timeline->submitted, signals[i].value);
  }
  changed_.NotifyAll();
  return fence == VK_NULL_HANDLE ? VK_SUCCESS : vk_.QueueSubmit(queue, 0, nullptr, fence);
}

VkResult FenceTimelines::Wait(VkSemaphore semaphore, std::uint64_t value, std::uint64_t timeout_ns) {
  Clock& clock = MonotonicClock();
  const std::int64_t begin_ns = clock.NowNs();
  const auto most = static_cast<std::uint64_t>(kNoDeadline - begin_ns);
  const std::int64_t deadline_ns = timeout_ns >= most ? kNoDeadline : begin_ns + static_cast<std::int64_t>(timeout_ns);
  Lock lock(mutex_);
  for (;;) {
    const Timeline* const timeline = Find(semaphore);
    if (timeline == nullptr || timeline->value >= value) return VK_SUCCESS;
    const std::int64_t now_ns = clock.NowNs();
    if (const std::uint64_t number = Signalling(*timeline, value); number != last_) {
      const auto left_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(deadline_ns - now_ns, 0));
      if (const VkResult result = AwaitPending(lock, number, left_ns); result != VK_SUCCESS) return result;
    } else if (now_ns >= deadline_ns) {
      return VK_TIMEOUT;
    } else {
      clock.WaitUntil(lock, changed_, deadline_ns);
    }
  }
}

void FenceTimelines::Signal(VkSemaphore semaphore, std::uint64_t value) {
  const Lock lock(mutex_);
  if (Timeline* const timeline = Find(semaphore)) timeline->value = std::max(timeline->value, value);
  changed_.NotifyAll();
}

VkResult FenceTimelines::Read(VkSemaphore semaphore, std::uint64_t& value) {
  const Lock lock(mutex_);
  while (first_ < last_) {
    const VkResult result = vk_.GetFenceStatus(device_, At(first_).fence);
    if (result == VK_NOT_READY) break;
    if (result != VK_SUCCESS) return result;
    Complete(first_);
  }
  const Timeline* const timeline = Find(semaphore);
  value = timeline == nullptr ? 0 : timeline->value;
  return VK_SUCCESS;
}

}  // namespace tandem::vulkan
