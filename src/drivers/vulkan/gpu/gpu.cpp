#include "drivers/vulkan/gpu/gpu.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <dlfcn.h>

#include "base/log.h"

namespace tandem::vulkan {
namespace {

bool HasTimelineFunctions(const Dispatch& vk) {
  return vk.WaitSemaphores != nullptr && vk.SignalSemaphore != nullptr && vk.GetSemaphoreCounterValue != nullptr;
}

// False where a layer stands between that wraps images and does not know the copies: it would hand its own handles to the driver.
bool ReachesTheDriver(const Dispatch& vk) {
  Dl_info images{}, copies{};
  return vk.CopyImageToMemoryEXT != nullptr && dladdr(reinterpret_cast<const void*>(vk.CreateImage), &images) != 0 &&
         dladdr(reinterpret_cast<const void*>(vk.CopyImageToMemoryEXT), &copies) != 0 && images.dli_fbase == copies.dli_fbase;
}

bool SemaphoresAreSyncFiles(const Dispatch& vk, VkPhysicalDevice device) {
  if (vk.GetPhysicalDeviceExternalSemaphoreProperties == nullptr) return false;
  VkPhysicalDeviceExternalSemaphoreInfo query{};
  query.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO;
  query.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  VkExternalSemaphoreProperties answer{};
  answer.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES;
  vk.GetPhysicalDeviceExternalSemaphoreProperties(device, &query, &answer);
  constexpr VkExternalSemaphoreFeatureFlags kBoth =
      VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
  return (answer.externalSemaphoreFeatures & kBoth) == kBoth;
}

}  // namespace

Result<std::unique_ptr<Gpu>> Gpu::Adopt(const BorrowedDevice& borrowed) {
  if (borrowed.instance == VK_NULL_HANDLE || borrowed.physical_device == VK_NULL_HANDLE || borrowed.device == VK_NULL_HANDLE ||
      borrowed.copy_queue == VK_NULL_HANDLE || borrowed.get_instance_proc_addr == nullptr ||
      borrowed.get_device_proc_addr == nullptr) {
    return Fail(ErrorKind::kInvalidArgument, "A borrowed device lacks a handle or a function.");
  }
  std::unique_ptr<Gpu> self(new Gpu());
  self->instance_ = borrowed.instance;
  self->get_instance_proc_addr_ = borrowed.get_instance_proc_addr;
  self->physical_ = borrowed.physical_device;
  self->device_ = borrowed.device;
  if (Result<void> loaded = self->vk_.LoadInstance(borrowed.instance, borrowed.get_instance_proc_addr); !loaded.ok())
    return loaded.error();
  if (Result<void> loaded = self->vk_.LoadDevice(borrowed.device, borrowed.get_device_proc_addr); !loaded.ok())
    return loaded.error();
  if (!HasTimelineFunctions(self->vk_)) {
    return Fail(ErrorKind::kUnsupported, "The program's device has no timeline semaphores, which a render adapter needs.");
  }
  self->queues_.fill({borrowed.copy_queue, borrowed.copy_queue_family, false, 0});
  self->compute_ = {borrowed.compute_queue, borrowed.compute_queue_family, false, 0};
  if (borrowed.lost != nullptr) self->lost_ = borrowed.lost;
  self->locks_ = borrowed.locks != nullptr ? borrowed.locks : std::make_shared<QueueLocks>();
  if (borrowed.locks == nullptr) {
    self->locks_->Add(borrowed.copy_queue);
    if (borrowed.compute_queue != VK_NULL_HANDLE && borrowed.compute_queue != borrowed.copy_queue)
      self->locks_->Add(borrowed.compute_queue);
  }
  std::vector<std::uint32_t> families = borrowed.application_queue_families;
  families.push_back(borrowed.copy_queue_family);
  if (borrowed.compute_queue != VK_NULL_HANDLE) families.push_back(borrowed.compute_queue_family);
  std::sort(families.begin(), families.end());
  families.erase(std::unique(families.begin(), families.end()), families.end());
  if (families.size() > 1) self->sharing_families_ = std::move(families);
  self->copies_on_host_ = borrowed.host_image_copy && ReachesTheDriver(self->vk_);
  if (Result<void> read = self->ReadProperties(borrowed.external_memory_host); !read.ok()) return read.error();
  self->ReadCrossing(borrowed.crossing);
  return self;
}

Gpu::~Gpu() {
  if (device_ == VK_NULL_HANDLE) return;
  if (abandoned()) {
    static_cast<void>(own_instance_.release());  // the device may still work, so its instance must stay
    static_cast<void>(fences_.release());
    return;
  }
  bool idle = true;
  if (borrowed()) {
    idle = used_timelines_.empty() || AwaitBorrowedQueues();
  } else if (vk_.DeviceWaitIdle != nullptr) {
    vk_.DeviceWaitIdle(device_);
  }
  for (const UsedTimeline& used : used_timelines_) {
    if (idle) Destroy(used.semaphore);
  }
  if (borrowed()) return;
  fences_.reset();
  if (vk_.DestroyDevice != nullptr) vk_.DestroyDevice(device_, nullptr);
}

Result<void> Gpu::ReadProperties(bool host_extension) {
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{};
  host.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
  const VkPhysicalDeviceProperties properties = vk_.ReadProperties(physical_, host_extension ? &host : nullptr);
  name_.assign(properties.deviceName, strnlen(properties.deviceName, VK_MAX_PHYSICAL_DEVICE_NAME_SIZE));
  type_ = properties.deviceType;
  max_storage_bytes_ = properties.limits.maxStorageBufferRange;
  if (host_extension && vk_.GetMemoryHostPointerPropertiesEXT != nullptr)
    import_alignment_ = host.minImportedHostPointerAlignment;
  std::uint32_t family_count = 0;
  vk_.GetPhysicalDeviceQueueFamilyProperties(physical_, &family_count, nullptr);
  std::vector<VkQueueFamilyProperties> families(family_count);
  vk_.GetPhysicalDeviceQueueFamilyProperties(physical_, &family_count, families.data());
  timestamp_period_ns_ = static_cast<double>(properties.limits.timestampPeriod);
  const bool runs_shaders = properties.apiVersion >= kWholeVersion && vk_.CmdDispatchBase != nullptr;
  const auto describe = [&](Queue& queue) {
    if (queue.handle == VK_NULL_HANDLE || queue.family >= family_count) return;
    queue.compute = runs_shaders && (families[queue.family].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
    queue.timestamp_bits = families[queue.family].timestampValidBits;
  };
  for (Queue& queue : queues_) describe(queue);
  describe(compute_);
  // Prefers the copies' own queue to the one that draws.
  if (queues_[kCopyNode].compute) {
    compute_ = queues_[kCopyNode];
  } else if (queues_[kRenderNode].compute) {
    compute_ = queues_[kRenderNode];
  }
  vk_.GetPhysicalDeviceMemoryProperties(physical_, &memory_);
  for (std::uint32_t i = 0; i < memory_.memoryHeapCount; ++i) {
    if ((memory_.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0) device_local_bytes_ += memory_.memoryHeaps[i].size;
  }
  return {};
}

void Gpu::ReadCrossing(const CrossingExtensions& enabled) {
  crossing_.dma_buf = enabled.dma_buf && vk_.GetMemoryFdKHR != nullptr && vk_.GetMemoryFdPropertiesKHR != nullptr &&
                      vk_.GetBufferMemoryRequirements2 != nullptr && vk_.GetImageMemoryRequirements2 != nullptr &&
                      vk_.GetPhysicalDeviceExternalBufferProperties != nullptr;
  crossing_.modifiers = crossing_.dma_buf && enabled.modifiers && vk_.GetImageDrmFormatModifierPropertiesEXT != nullptr;
  crossing_.foreign = enabled.foreign;
  crossing_.sync_fd = enabled.sync_fd && vk_.GetSemaphoreFdKHR != nullptr && vk_.ImportSemaphoreFdKHR != nullptr &&
                      SemaphoresAreSyncFiles(vk_, physical_);
}

OutsideFamilies Gpu::outside() const {
  if (!crossing_.foreign) return {};
  return {sharing_families_.empty() ? queues_[kCopyNode].family : VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_FOREIGN_EXT};
}

VkResult Gpu::Submit(VkQueue queue, const VkSubmitInfo& info, VkFence fence) {
  if (lost()) return VK_ERROR_DEVICE_LOST;
  VkResult result;
  {
    const std::lock_guard<std::mutex> lock(locks_->For(queue));
    result = fences_ != nullptr ? fences_->Submit(queue, info, fence) : vk_.QueueSubmit(queue, 1, &info, fence);
  }
  NoteResult(result);
  return result;
}

VkResult Gpu::Wait(VkSemaphore semaphore, std::uint64_t value, std::uint64_t timeout_ns) {
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &value;
  const VkResult result =
      fences_ != nullptr ? fences_->Wait(semaphore, value, timeout_ns) : vk_.WaitSemaphores(device_, &info, timeout_ns);
  NoteResult(result);
  return result;
}

VkResult Gpu::Signal(VkSemaphore semaphore, std::uint64_t value) {
  if (fences_ != nullptr) {
    fences_->Signal(semaphore, value);
    return VK_SUCCESS;
  }
  VkSemaphoreSignalInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
  info.semaphore = semaphore;
  info.value = value;
  return vk_.SignalSemaphore(device_, &info);
}

VkResult Gpu::ReadValue(VkSemaphore semaphore, std::uint64_t& value) {
  const VkResult result =
      fences_ != nullptr ? fences_->Read(semaphore, value) : vk_.GetSemaphoreCounterValue(device_, semaphore, &value);
  NoteResult(result);
  return result;
}

bool Gpu::NoteResult(VkResult result) {
  if (result != VK_ERROR_DEVICE_LOST || lost_->exchange(true, std::memory_order_acq_rel)) return false;
  Log(LogLevel::kError, "The Vulkan device {} is lost.", name_);
  return true;
}

void Gpu::MarkLost(const char* call, VkResult result) {
  if (result != VK_ERROR_DEVICE_LOST) Abandon();
  if (NoteResult(VK_ERROR_DEVICE_LOST))
    Log(LogLevel::kError, "{} answered {}; nothing is drawn any more.", call, ToString(result));
}

std::optional<std::uint32_t> Gpu::FindMemoryType(std::uint32_t type_bits, VkMemoryPropertyFlags required,
                                                 VkMemoryPropertyFlags preferred) const {
  for (const VkMemoryPropertyFlags wanted : {required | preferred, required}) {
    for (std::uint32_t i = 0; i < memory_.memoryTypeCount; ++i) {
      if ((type_bits & (1U << i)) != 0 && (memory_.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
    }
  }
  return std::nullopt;
}

VkResult Gpu::AllocateCommandBuffer(VkCommandPool pool, VkCommandBuffer& out) const {
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  return vk_.AllocateCommandBuffers(device_, &info, &out);
}

template <class Handle>
void Gpu::Destroy(Handle object) const {
  if (object == VK_NULL_HANDLE || abandoned()) return;
  if constexpr (std::is_same_v<Handle, VkBuffer>) vk_.DestroyBuffer(device_, object, nullptr);
  if constexpr (std::is_same_v<Handle, VkImage>) vk_.DestroyImage(device_, object, nullptr);
  if constexpr (std::is_same_v<Handle, VkImageView>) vk_.DestroyImageView(device_, object, nullptr);
  if constexpr (std::is_same_v<Handle, VkDeviceMemory>) vk_.FreeMemory(device_, object, nullptr);
  if constexpr (std::is_same_v<Handle, VkSemaphore>) {
    if (fences_ != nullptr && fences_->Destroy(object)) return;
  }
  if constexpr (std::is_same_v<Handle, VkSemaphore>) vk_.DestroySemaphore(device_, object, nullptr);
  if constexpr (std::is_same_v<Handle, VkCommandPool>) vk_.DestroyCommandPool(device_, object, nullptr);
  if constexpr (std::is_same_v<Handle, VkDescriptorPool>) vk_.DestroyDescriptorPool(device_, object, nullptr);
}
template void Gpu::Destroy(VkBuffer) const;
template void Gpu::Destroy(VkImage) const;
template void Gpu::Destroy(VkImageView) const;
template void Gpu::Destroy(VkDeviceMemory) const;
template void Gpu::Destroy(VkSemaphore) const;
template void Gpu::Destroy(VkCommandPool) const;
template void Gpu::Destroy(VkDescriptorPool) const;

void Gpu::Share(VkBufferCreateInfo& info) const {
  if (sharing_families_.empty()) return;
  info.sharingMode = VK_SHARING_MODE_CONCURRENT;
  info.queueFamilyIndexCount = static_cast<std::uint32_t>(sharing_families_.size());
  info.pQueueFamilyIndices = sharing_families_.data();
}

}  // namespace tandem::vulkan
