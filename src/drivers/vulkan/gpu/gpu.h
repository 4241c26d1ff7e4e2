// One VkDevice, opened or borrowed by this driver: its functions, queues, memory types and its loss.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/gpu/fence_timelines.h"
#include "drivers/vulkan/gpu/rows.h"
#include "drivers/vulkan/icd/dispatch.h"
#include "drivers/vulkan/icd/library.h"
#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan {

inline constexpr std::uint32_t kRenderNode = 0;
inline constexpr std::uint32_t kCopyNode = 1;
inline constexpr std::uint32_t kNodeCount = 2;
// A node has two timelines: its VkQueue signals one, and its worker signals the other after processor work.
inline constexpr std::uint32_t kTimelineCount = 2 * kNodeCount;
[[nodiscard]] constexpr std::uint32_t QueueTimeline(std::uint32_t node) { return 2 * node; }
[[nodiscard]] constexpr std::uint32_t WorkerTimeline(std::uint32_t node) { return 2 * node + 1; }

// Thread-safe except for construction. A borrowed device is never destroyed here.
class Gpu {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Gpu>> Open(const OwnDevice& description);
  [[nodiscard]] static Result<std::unique_ptr<Gpu>> Adopt(const BorrowedDevice& description);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  struct Queue {
    VkQueue handle = VK_NULL_HANDLE;
    std::uint32_t family = 0;
    bool compute = false;              // takes dispatches of this driver's shaders
    std::uint32_t timestamp_bits = 0;  // valid bits of its clock; 0: no clock
  };

  [[nodiscard]] const Dispatch& vk() const { return vk_; }
  [[nodiscard]] VkInstance instance() const { return instance_; }
  [[nodiscard]] PFN_vkGetInstanceProcAddr get_instance_proc_addr() const { return get_instance_proc_addr_; }
  [[nodiscard]] VkPhysicalDevice physical() const { return physical_; }
  [[nodiscard]] VkDevice device() const { return device_; }
  [[nodiscard]] bool borrowed() const { return own_instance_ == nullptr; }
  [[nodiscard]] bool layered() const { return own_instance_ != nullptr && own_instance_->layered(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] VkPhysicalDeviceType type() const { return type_; }
  [[nodiscard]] const Queue& queue(std::uint32_t node) const { return queues_[node]; }
  // A queue that takes dispatches, a node's own or an additional one; null: none.
  [[nodiscard]] const Queue* compute_queue() const { return compute_.compute ? &compute_ : nullptr; }
  // Nanoseconds per tick of a queue's clock.
  [[nodiscard]] double timestamp_period_ns() const { return timestamp_period_ns_; }
  // Queue families that must share a VkImage that the application renders to and the copy queue reads. Empty:
  // VK_SHARING_MODE_EXCLUSIVE.
  [[nodiscard]] const std::vector<std::uint32_t>& sharing_families() const { return sharing_families_; }
  // Sets the sharing of a buffer that both nodes use.
  void Share(VkBufferCreateInfo& info) const;
  [[nodiscard]] bool can_import_host() const { return import_alignment_ != 0; }
  [[nodiscard]] std::uint64_t import_alignment() const { return import_alignment_; }
  // True if the processor copies rows out of images of usage kHostTransferUsage (vkCopyImageToMemoryEXT).
  [[nodiscard]] bool copies_on_host() const { return copies_on_host_; }
  // Memory and semaphores that cross as descriptors: the device has the extensions and their functions.
  [[nodiscard]] const CrossingExtensions& crossing() const { return crossing_; }
  // Fences of others that the device waited for, and its own that others can wait for, both as sync_files.
  [[nodiscard]] std::uint64_t fences_in() const { return fences_in_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t fences_out() const { return fences_out_.load(std::memory_order_relaxed); }
  void CountFenceIn() { fences_in_.fetch_add(1, std::memory_order_relaxed); }
  void CountFenceOut() { fences_out_.fetch_add(1, std::memory_order_relaxed); }
  // The queue families of a transfer to and from users outside the device; none without VK_EXT_queue_family_foreign.
  [[nodiscard]] OutsideFamilies outside() const;
  // Maximum bytes of one storage buffer binding.
  [[nodiscard]] std::uint64_t max_storage_bytes() const { return max_storage_bytes_; }
  [[nodiscard]] std::uint64_t device_local_bytes() const { return device_local_bytes_; }
  [[nodiscard]] const SurfaceSupport& surfaces() const { return surfaces_; }
  // True if swap chains can be made: an own device with VK_KHR_swapchain.
  [[nodiscard]] bool can_present() const { return can_present_; }
  [[nodiscard]] std::mutex& LockOf(VkQueue queue) { return locks_->For(queue); }

  // vkQueueSubmit under the queue's lock. VK_ERROR_DEVICE_LOST is remembered.
  VkResult Submit(VkQueue queue, const VkSubmitInfo& info, VkFence fence);
  // Waits until a timeline semaphore reaches the value. VK_TIMEOUT; VK_ERROR_DEVICE_LOST is remembered.
  VkResult Wait(VkSemaphore semaphore, std::uint64_t value, std::uint64_t timeout_ns);
  // Signals a timeline semaphore, and reads its value.
  VkResult Signal(VkSemaphore semaphore, std::uint64_t value);
  VkResult ReadValue(VkSemaphore semaphore, std::uint64_t& value);
  // True if the device has no timeline semaphores: its timelines are made of fences, and all nodes share one queue.
  [[nodiscard]] bool uses_fences() const { return fences_ != nullptr; }

  // Remembers a lost device by its result; true for the first time.
  bool NoteResult(VkResult result);
  // Treats the device as lost after a failure of a call that must not fail. If the device did not report a loss itself, it may
  // still work, so it is abandoned as well.
  void MarkLost(const char* call, VkResult result);
  [[nodiscard]] bool lost() const { return lost_->load(std::memory_order_acquire); }
  // Waits once for work that a borrowed device, lost by its lender's word, may still do. A device that does not end it is
  // abandoned. Nothing happens unless the device is lost.
  void AwaitLost();
  // Work that cannot be awaited may still use our objects: nothing is destroyed any more.
  void Abandon() { abandoned_.store(true, std::memory_order_release); }
  [[nodiscard]] bool abandoned() const { return abandoned_.load(std::memory_order_acquire); }

  // A memory type among `type_bits` with `required`, preferably with `preferred` as well.
  [[nodiscard]] std::optional<std::uint32_t> FindMemoryType(std::uint32_t type_bits, VkMemoryPropertyFlags required,
                                                            VkMemoryPropertyFlags preferred) const;
  [[nodiscard]] VkResult CreateTimeline(VkSemaphore& out) const;
  // A timeline for which submissions wait, and the value at which it stands. A used one is preferred to a new one.
  [[nodiscard]] VkResult TakeTimeline(VkSemaphore& out, std::uint64_t& value);
  // Takes such a timeline back at its last value, which was reached. It lives until the device is idle at the end: Mesa's
  // threads unlock a timeline for which a submission waited after they have signalled the submission's end.
  void GiveTimelineBack(VkSemaphore timeline, std::uint64_t value);
  // Allocates a primary command buffer from a pool that the caller has locked.
  [[nodiscard]] VkResult AllocateCommandBuffer(VkCommandPool pool, VkCommandBuffer& out) const;
  // Destroys a buffer, image, image view, memory, semaphore, or command or descriptor pool. Ignores VK_NULL_HANDLE; does nothing
  // once abandoned.
  template <class Handle>
  void Destroy(Handle object) const;

 private:
  Gpu() = default;
  Result<void> ReadProperties(bool host_extension);
  Result<void> CreateDevice(const IcdInstance& instance, bool imports_pages);
  void ReadCrossing(const CrossingExtensions& enabled);
  // True once all work in the queues of a borrowed device has ended.
  [[nodiscard]] bool AwaitBorrowedQueues();
  [[nodiscard]] VkResult AwaitQueue(VkQueue queue);

  std::unique_ptr<IcdInstance> own_instance_;
  std::unique_ptr<FenceTimelines> fences_;  // null: the device has timeline semaphores
  Dispatch vk_;
  VkInstance instance_ = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr_ = nullptr;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  std::string name_;
  VkPhysicalDeviceType type_ = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  std::array<Queue, kNodeCount> queues_{};
  Queue compute_;
  double timestamp_period_ns_ = 0;
  std::vector<std::uint32_t> sharing_families_;
  std::shared_ptr<QueueLocks> locks_;
  VkPhysicalDeviceMemoryProperties memory_{};
  std::uint64_t import_alignment_ = 0;
  bool copies_on_host_ = false;
  CrossingExtensions crossing_;
  std::atomic<std::uint64_t> fences_in_{0};
  std::atomic<std::uint64_t> fences_out_{0};
  std::uint64_t max_storage_bytes_ = 0;
  std::uint64_t device_local_bytes_ = 0;
  SurfaceSupport surfaces_;
  bool can_present_ = false;
  struct UsedTimeline {
    VkSemaphore semaphore = VK_NULL_HANDLE;
    std::uint64_t value = 0;
  };
  std::mutex timelines_mutex_;
  std::vector<UsedTimeline> used_timelines_;  // guarded by timelines_mutex_
  std::shared_ptr<std::atomic<bool>> lost_ = std::make_shared<std::atomic<bool>>(false);
  std::once_flag awaited_;
  std::atomic<bool> abandoned_{false};
};

}  // namespace tandem::vulkan
