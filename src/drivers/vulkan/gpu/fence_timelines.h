// Timeline semaphores made of fences, for devices of Vulkan 1.0 and 1.1 that have none.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <vulkan/vulkan_core.h>

#include "base/condition.h"
#include "base/result.h"
#include "drivers/vulkan/icd/dispatch.h"

namespace tandem::vulkan {

// All work goes to one queue, so that its order is that of the timelines. A submission that signals a timeline takes a fence
// from a ring; whoever waits for a value waits for the fence of the submission that signals it. A submission that waits for a
// value needs no semaphore: the work that signals it stands earlier in the queue, and a barrier keeps their memory in order.
//
// Thread-safe. The lock is not held during a wait for the device.
class FenceTimelines {
 public:
  // Submissions whose end nobody has seen yet. Another one waits for the oldest.
  static constexpr std::uint32_t kMaxPending = 256;

  // `vk` and `device` must outlive it. `family`: that of the queue. kOutOfMemory.
  [[nodiscard]] static Result<std::unique_ptr<FenceTimelines>> Create(const Dispatch& vk, VkDevice device, std::uint32_t family);
  // Precondition: the device is idle.
  ~FenceTimelines();
  FenceTimelines(const FenceTimelines&) = delete;
  FenceTimelines& operator=(const FenceTimelines&) = delete;

  // A handle that only this object understands.
  [[nodiscard]] VkSemaphore MakeTimeline();
  // False: the semaphore is a real one.
  bool Destroy(VkSemaphore semaphore);

  // vkQueueSubmit with a VkTimelineSemaphoreSubmitInfo for timelines and binary semaphores. A value that it waits for was
  // submitted or signalled before. The caller holds the queue's lock.
  [[nodiscard]] VkResult Submit(VkQueue queue, const VkSubmitInfo& info, VkFence fence);
  // VK_TIMEOUT, VK_ERROR_DEVICE_LOST. The value may be submitted later.
  [[nodiscard]] VkResult Wait(VkSemaphore semaphore, std::uint64_t value, std::uint64_t timeout_ns);
  void Signal(VkSemaphore semaphore, std::uint64_t value);
  [[nodiscard]] VkResult Read(VkSemaphore semaphore, std::uint64_t& value);

 private:
  // Most semaphores that a submission of this driver names each way.
  static constexpr std::uint32_t kMaxSemaphores = 8;

  struct Timeline {
    std::uint64_t value = 0;
    std::uint64_t submitted = 0;  // highest value that a submission signals
  };
  struct Pending {
    struct Signalled {
      Timeline* timeline = nullptr;  // null: destroyed
      std::uint64_t value = 0;
    };
    VkFence fence = VK_NULL_HANDLE;
    std::array<Signalled, kMaxSemaphores> signals{};
    std::uint32_t count = 0;
    std::uint32_t waiters = 0;  // threads in vkWaitForFences
  };
  using Lock = std::unique_lock<std::mutex>;

  FenceTimelines(const Dispatch& vk, VkDevice device) : vk_(vk), device_(device) {}
  [[nodiscard]] VkResult MakeObjects(std::uint32_t family);
  [[nodiscard]] Timeline* Find(VkSemaphore semaphore);
  [[nodiscard]] Pending& At(std::uint64_t number) { return ring_[number % kMaxPending]; }
  // The first submission that signals at least `value`; last_ if there is none.
  [[nodiscard]] std::uint64_t Signalling(const Timeline& timeline, std::uint64_t value);
  [[nodiscard]] VkResult AwaitPending(Lock& lock, std::uint64_t number, std::uint64_t timeout_ns);
  void Complete(std::uint64_t number);
  // A slot for submission last_, whose fence is reset.
  [[nodiscard]] VkResult TakeSlot(Lock& lock);
  [[nodiscard]] bool IsComing(Lock& lock, const Timeline& timeline, std::uint64_t value);

  const Dispatch& vk_;
  const VkDevice device_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer barrier_ = VK_NULL_HANDLE;  // everything before, in memory, before everything after

  std::mutex mutex_;
  Condition changed_;
  std::unordered_map<VkSemaphore, std::unique_ptr<Timeline>> timelines_;
  std::array<Pending, kMaxPending> ring_{};
  std::uint64_t first_ = 0;  // number of the oldest pending submission
  std::uint64_t last_ = 0;   // number of the next one
};

}  // namespace tandem::vulkan
