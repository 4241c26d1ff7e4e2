// A Vulkan driver that stands before a real one and lies. Two variables say how:
//   TANDEM_TEST_REAL_DRIVER  the library of the real driver
//   TANDEM_TEST_LIE          lose-device[:N]    from the Nth submission on every submission and wait answers VK_ERROR_DEVICE_LOST
//                            lose-once[:N]      the same until another device is made
//                            vanish[:N]         the same, and no device is made any more
//                            refuse-import      no host memory is ever imported
//                            out-of-memory[:N]  from the Nth on vkAllocateMemory answers VK_ERROR_OUT_OF_DEVICE_MEMORY
//                            out-of-host-memory[:N]  the same, VK_ERROR_OUT_OF_HOST_MEMORY
//                            other-name         each device has another name
//                            last-row           copies from buffers to images leave out the last row
//                            no-surfaces        no extension of surfaces or swap chains exists
//                            vulkan-1.1         the driver says Vulkan 1.1; it has neither timeline semaphores nor external
//                            memory
//                            vulkan-1.0         the same of Vulkan 1.0; it has no UUIDs either
//                            vulkan-1.0-uuid    the same with the extensions that tell UUIDs
// N defaults to 1. With an unknown lie the library has no entry points.
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <vulkan/vulkan_core.h>

#include "tests/programs/hiding.h"
#include "tests/programs/liar.h"

namespace {

Liar* Open() {
  auto* const liar = new Liar;  // lives as long as the process, like its driver
  const char* const request = std::getenv("TANDEM_TEST_LIE");
  const char* const real = std::getenv("TANDEM_TEST_REAL_DRIVER");
  if (request == nullptr || real == nullptr) return liar;
  const std::string text(request);
  const std::string kind = text.substr(0, text.find(':'));
  if (kind.size() < text.size()) liar->from = std::strtol(text.c_str() + kind.size() + 1, nullptr, 10);
  void* const library = dlopen(real, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return liar;
  liar->get_instance_proc_addr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vk_icdGetInstanceProcAddr"));
  liar->get_physical_device_proc_addr =
      reinterpret_cast<PFN_vkVoidFunction (*)(VkInstance, const char*)>(dlsym(library, "vk_icdGetPhysicalDeviceProcAddr"));
  liar->negotiate = reinterpret_cast<VkResult (*)(std::uint32_t*)>(dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion"));
  if (kind == "lose-device") liar->lie = Lie::kLoseDevice;
  if (kind == "lose-once") liar->lie = Lie::kLoseOnce;
  if (kind == "vanish") liar->lie = Lie::kVanish;
  if (kind == "refuse-import") liar->lie = Lie::kRefuseImport;
  if (kind == "out-of-memory") liar->lie = Lie::kOutOfMemory;
  if (kind == "other-name") liar->lie = Lie::kOtherName;
  if (kind == "last-row") liar->lie = Lie::kLastRow;
  if (kind == "no-surfaces") liar->lie = Lie::kNoSurfaces;
  if (kind == "out-of-host-memory") liar->lie = Lie::kOutOfHostMemory;
  if (kind == "vulkan-1.1") liar->lie = Lie::kVulkan11;
  if (kind == "vulkan-1.0") liar->lie = Lie::kVulkan10;
  if (kind == "vulkan-1.0-uuid") liar->lie = Lie::kVulkan10Uuid;
  return liar;
}

bool ImportsHostMemory(const VkMemoryAllocateInfo& info) {
  for (auto next = static_cast<const VkBaseInStructure*>(info.pNext); next != nullptr; next = next->pNext) {
    if (next->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT) return true;
  }
  return false;
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice device, const VkMemoryAllocateInfo* info,
                                              const VkAllocationCallbacks* allocator, VkDeviceMemory* memory) {
  Liar& liar = TheLiar();
  if (liar.lie == Lie::kRefuseImport && ImportsHostMemory(*info)) return VK_ERROR_INVALID_EXTERNAL_HANDLE;
  if (liar.lie == Lie::kOutOfMemory && liar.Count()) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  if (liar.lie == Lie::kOutOfHostMemory && liar.Count()) return VK_ERROR_OUT_OF_HOST_MEMORY;
  return liar.allocate_memory.load()(device, info, allocator, memory);
}

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryHostPointerPropertiesEXT(VkDevice device, VkExternalMemoryHandleTypeFlagBits type,
                                                                 const void* pointer,
                                                                 VkMemoryHostPointerPropertiesEXT* properties) {
  if (TheLiar().lie == Lie::kRefuseImport) return VK_ERROR_INVALID_EXTERNAL_HANDLE;
  return TheLiar().host_pointer_properties.load()(device, type, pointer, properties);
}

VKAPI_ATTR void VKAPI_CALL CmdCopyBufferToImage(VkCommandBuffer commands, VkBuffer from, VkImage to, VkImageLayout layout,
                                                std::uint32_t count, const VkBufferImageCopy* regions) {
  for (std::uint32_t i = 0; i < count; ++i) {
    VkBufferImageCopy region = regions[i];
    --region.imageExtent.height;
    if (region.imageExtent.height != 0) TheLiar().copy_buffer_to_image.load()(commands, from, to, layout, 1, &region);
  }
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* submits, VkFence fence) {
  Liar& liar = TheLiar();
  if (liar.LosesDevices() && liar.Count()) return VK_ERROR_DEVICE_LOST;
  return liar.queue_submit.load()(queue, count, submits, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* submits, VkFence fence) {
  Liar& liar = TheLiar();
  if (liar.LosesDevices() && liar.Count()) return VK_ERROR_DEVICE_LOST;
  return liar.queue_submit2.load()(queue, count, submits, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* info, std::uint64_t timeout) {
  Liar& liar = TheLiar();
  if (liar.LosesDevices() && liar.Started()) return VK_ERROR_DEVICE_LOST;
  return liar.wait_semaphores.load()(device, info, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL WaitForFences(VkDevice device, std::uint32_t count, const VkFence* fences, VkBool32 all,
                                             std::uint64_t timeout) {
  Liar& liar = TheLiar();
  if (liar.LosesDevices() && liar.Started()) return VK_ERROR_DEVICE_LOST;
  return liar.wait_for_fences.load()(device, count, fences, all, timeout);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name);

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  TheLiar().properties.load()(device, properties);
  properties->deviceName[0] = '?';
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  TheLiar().properties2.load()(device, properties);
  properties->properties.deviceName[0] = '?';
}

// Replaces `real` for the functions that lie.
PFN_vkVoidFunction Replace(const char* name, PFN_vkVoidFunction real) {
  if (real == nullptr) return nullptr;
  Liar& liar = TheLiar();
  const auto replace = [real](auto& slot, auto ours) { return ReplaceInto(slot, real, ours); };
  const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
  if (const std::optional<PFN_vkVoidFunction> hidden = ReplaceByHiding(name, real)) return *hidden;
  if (is("vkGetDeviceProcAddr")) return replace(liar.get_device_proc_addr, &GetDeviceProcAddr);
  if (is("vkAllocateMemory")) return replace(liar.allocate_memory, &AllocateMemory);
  if (is("vkQueueSubmit")) return replace(liar.queue_submit, &QueueSubmit);
  if (is("vkQueueSubmit2") || is("vkQueueSubmit2KHR")) return replace(liar.queue_submit2, &QueueSubmit2);
  if (is("vkWaitSemaphores") || is("vkWaitSemaphoresKHR")) return replace(liar.wait_semaphores, &WaitSemaphores);
  if (is("vkWaitForFences")) return replace(liar.wait_for_fences, &WaitForFences);
  if (liar.lie == Lie::kLastRow && is("vkCmdCopyBufferToImage")) return replace(liar.copy_buffer_to_image, &CmdCopyBufferToImage);
  if (liar.lie == Lie::kOtherName) {
    if (is("vkGetPhysicalDeviceProperties")) return replace(liar.properties, &GetPhysicalDeviceProperties);
    if (is("vkGetPhysicalDeviceProperties2")) return replace(liar.properties2, &GetPhysicalDeviceProperties2);
  }
  if (is("vkGetMemoryHostPointerPropertiesEXT")) {
    return replace(liar.host_pointer_properties, &GetMemoryHostPointerPropertiesEXT);
  }
  return real;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name) {
  return Replace(name, TheLiar().get_device_proc_addr.load()(device, name));
}

}  // namespace

Liar& TheLiar() {
  static Liar* const liar = Open();
  return *liar;
}

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char* name) {
  Liar& liar = TheLiar();
  if (liar.lie == Lie::kUnknown || liar.get_instance_proc_addr == nullptr) return nullptr;
  return Replace(name, liar.get_instance_proc_addr(instance, name));
}

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
  Liar& liar = TheLiar();
  return liar.get_physical_device_proc_addr == nullptr ? nullptr
                                                       : Replace(name, liar.get_physical_device_proc_addr(instance, name));
}

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(std::uint32_t* version) {
  Liar& liar = TheLiar();
  return liar.negotiate == nullptr ? VK_ERROR_INCOMPATIBLE_DRIVER : liar.negotiate(version);
}
