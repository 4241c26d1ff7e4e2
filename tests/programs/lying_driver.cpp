// A Vulkan driver that stands before a real one and lies. Two variables say how:
//   TANDEM_TEST_REAL_DRIVER  the library of the real driver
//   TANDEM_TEST_LIE          lose-device[:N]    from the Nth submission on every submission and wait answers VK_ERROR_DEVICE_LOST
//                            refuse-import      no host memory is ever imported
//                            out-of-memory[:N]  from the Nth on vkAllocateMemory answers VK_ERROR_OUT_OF_DEVICE_MEMORY
//                            out-of-host-memory[:N]  the same, VK_ERROR_OUT_OF_HOST_MEMORY
//                            no-surfaces        no extension of surfaces or swap chains exists
//                            vulkan-1.1         the driver says Vulkan 1.1; it has neither timeline semaphores nor external
//                            memory
// N defaults to 1. With an unknown lie the library has no entry points.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <vulkan/vulkan_core.h>

namespace {

enum class Lie { kUnknown, kLoseDevice, kRefuseImport, kOutOfMemory, kOutOfHostMemory, kNoSurfaces, kVulkan11 };

struct Liar {
  Lie lie = Lie::kUnknown;
  long from = 1;
  std::atomic<long> calls{0};
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  PFN_vkVoidFunction (*get_physical_device_proc_addr)(VkInstance, const char*) = nullptr;
  VkResult (*negotiate)(std::uint32_t*) = nullptr;
  std::atomic<PFN_vkGetDeviceProcAddr> get_device_proc_addr{nullptr};
  std::atomic<PFN_vkEnumerateInstanceExtensionProperties> instance_extensions{nullptr};
  std::atomic<PFN_vkEnumerateDeviceExtensionProperties> device_extensions{nullptr};
  // Functions of the real driver, shared by all its devices.
  std::atomic<PFN_vkAllocateMemory> allocate_memory{nullptr};
  std::atomic<PFN_vkQueueSubmit> queue_submit{nullptr};
  std::atomic<PFN_vkQueueSubmit2> queue_submit2{nullptr};
  std::atomic<PFN_vkWaitSemaphores> wait_semaphores{nullptr};
  std::atomic<PFN_vkWaitForFences> wait_for_fences{nullptr};
  std::atomic<PFN_vkGetMemoryHostPointerPropertiesEXT> host_pointer_properties{nullptr};
  std::atomic<PFN_vkGetPhysicalDeviceProperties> properties{nullptr};
  std::atomic<PFN_vkGetPhysicalDeviceProperties2> properties2{nullptr};
  std::atomic<PFN_vkGetPhysicalDeviceFeatures2> features2{nullptr};
  std::atomic<PFN_vkCreateDevice> create_device{nullptr};
  std::atomic<PFN_vkCreateSemaphore> create_semaphore{nullptr};

  // Counts one call; true if this call must lie.
  bool Count() { return calls.fetch_add(1) + 1 >= from; }
  [[nodiscard]] bool Started() const { return calls.load() >= from; }
};

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
  if (kind == "refuse-import") liar->lie = Lie::kRefuseImport;
  if (kind == "out-of-memory") liar->lie = Lie::kOutOfMemory;
  if (kind == "no-surfaces") liar->lie = Lie::kNoSurfaces;
  if (kind == "out-of-host-memory") liar->lie = Lie::kOutOfHostMemory;
  if (kind == "vulkan-1.1") liar->lie = Lie::kVulkan11;
  return liar;
}

Liar& TheLiar() {
  static Liar* const liar = Open();
  return *liar;
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

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* submits, VkFence fence) {
  Liar& liar = TheLiar();
  if (liar.lie == Lie::kLoseDevice && liar.Count()) return VK_ERROR_DEVICE_LOST;
  return liar.queue_submit.load()(queue, count, submits, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* submits, VkFence fence) {
  Liar& liar = TheLiar();
  if (liar.lie == Lie::kLoseDevice && liar.Count()) return VK_ERROR_DEVICE_LOST;
  return liar.queue_submit2.load()(queue, count, submits, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* info, std::uint64_t timeout) {
  Liar& liar = TheLiar();
  if (liar.lie == Lie::kLoseDevice && liar.Started()) return VK_ERROR_DEVICE_LOST;
  return liar.wait_semaphores.load()(device, info, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL WaitForFences(VkDevice device, std::uint32_t count, const VkFence* fences, VkBool32 all,
                                             std::uint64_t timeout) {
  Liar& liar = TheLiar();
  if (liar.lie == Lie::kLoseDevice && liar.Started()) return VK_ERROR_DEVICE_LOST;
  return liar.wait_for_fences.load()(device, count, fences, all, timeout);
}

// Extensions that the lie takes away: those of windows, or those that came after Vulkan 1.1.
bool IsHidden(const char* extension) {
  const auto has = [extension](const char* part) { return std::strstr(extension, part) != nullptr; };
  if (TheLiar().lie == Lie::kNoSurfaces) return has("surface") || has("swapchain");
  return TheLiar().lie == Lie::kVulkan11 && (has("timeline_semaphore") || has("_external_memory"));
}

// Answers Vulkan's two-call protocol with the names that `ask` lists and the lie does not hide.
template <class Ask>
VkResult WithoutHidden(Ask ask, std::uint32_t* count, VkExtensionProperties* properties) {
  std::uint32_t listed = 0;
  if (const VkResult result = ask(&listed, nullptr); result != VK_SUCCESS) return result;
  std::vector<VkExtensionProperties> kept(listed);
  if (const VkResult result = ask(&listed, kept.data()); result != VK_SUCCESS) return result;
  std::erase_if(kept, [](const VkExtensionProperties& item) { return IsHidden(item.extensionName); });
  const auto available = static_cast<std::uint32_t>(kept.size());
  const std::uint32_t given = properties == nullptr ? available : std::min(*count, available);
  for (std::uint32_t i = 0; properties != nullptr && i < given; ++i) properties[i] = kept[i];
  *count = given;
  return given < available ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceExtensionProperties(const char* layer, std::uint32_t* count,
                                                                    VkExtensionProperties* properties) {
  return WithoutHidden([layer](std::uint32_t* listed,
                               VkExtensionProperties* out) { return TheLiar().instance_extensions.load()(layer, listed, out); },
                       count, properties);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char* layer,
                                                                  std::uint32_t* count, VkExtensionProperties* properties) {
  return WithoutHidden(
      [device, layer](std::uint32_t* listed, VkExtensionProperties* out) {
        return TheLiar().device_extensions.load()(device, layer, listed, out);
      },
      count, properties);
}

// An old driver. Whoever uses what it does not have is refused, and does not get the functions.
bool IsHiddenFunction(const char* name) {
  for (const char* hidden : {"vkWaitSemaphores", "vkSignalSemaphore", "vkGetSemaphoreCounterValue", "vkGetMemoryHostPointer",
                             "vkGetMemoryFd", "vkQueueSubmit2"}) {
    if (std::strncmp(name, hidden, std::strlen(hidden)) == 0) return true;
  }
  return false;
}

template <class T>
T* FindOut(void* chain, VkStructureType type) {
  for (auto next = static_cast<VkBaseOutStructure*>(chain); next != nullptr; next = next->pNext) {
    if (next->sType == type) return reinterpret_cast<T*>(next);
  }
  return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceVersion(std::uint32_t* version) {
  *version = VK_API_VERSION_1_1;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  TheLiar().properties.load()(device, properties);
  properties->apiVersion = VK_API_VERSION_1_1;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  TheLiar().properties2.load()(device, properties);
  properties->properties.apiVersion = VK_API_VERSION_1_1;
}

// A driver of Vulkan 1.1 does not know these structures, and leaves them alone.
VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  TheLiar().features2.load()(device, features);
  if (auto* timeline = FindOut<VkPhysicalDeviceTimelineSemaphoreFeatures>(
          features->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES)) {
    timeline->timelineSemaphore = VK_FALSE;
  }
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice device, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* created) {
  for (std::uint32_t i = 0; i < info->enabledExtensionCount; ++i) {
    if (IsHidden(info->ppEnabledExtensionNames[i])) return VK_ERROR_EXTENSION_NOT_PRESENT;
  }
  if (FindOut<VkPhysicalDeviceTimelineSemaphoreFeatures>(const_cast<void*>(info->pNext),
                                                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES)) {
    return VK_ERROR_FEATURE_NOT_PRESENT;
  }
  return TheLiar().create_device.load()(device, info, allocator, created);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo* info,
                                               const VkAllocationCallbacks* allocator, VkSemaphore* semaphore) {
  if (FindOut<VkSemaphoreTypeCreateInfo>(const_cast<void*>(info->pNext), VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO)) {
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  }
  return TheLiar().create_semaphore.load()(device, info, allocator, semaphore);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name);

// Replaces `real` for the functions that lie.
PFN_vkVoidFunction Replace(const char* name, PFN_vkVoidFunction real) {
  if (real == nullptr) return nullptr;
  Liar& liar = TheLiar();
  const auto replace = [real](auto& slot, auto ours) {
    slot.store(reinterpret_cast<decltype(ours)>(real));
    return reinterpret_cast<PFN_vkVoidFunction>(ours);
  };
  const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
  if (liar.lie == Lie::kNoSurfaces) {
    if (std::strstr(name, "Surface") != nullptr || std::strstr(name, "Swapchain") != nullptr) return nullptr;
    if (is("vkEnumerateInstanceExtensionProperties")) {
      return replace(liar.instance_extensions, &EnumerateInstanceExtensionProperties);
    }
    if (is("vkEnumerateDeviceExtensionProperties")) return replace(liar.device_extensions, &EnumerateDeviceExtensionProperties);
  }
  if (liar.lie == Lie::kVulkan11) {
    if (IsHiddenFunction(name)) return nullptr;
    if (is("vkEnumerateInstanceVersion")) return reinterpret_cast<PFN_vkVoidFunction>(&EnumerateInstanceVersion);
    if (is("vkEnumerateDeviceExtensionProperties")) return replace(liar.device_extensions, &EnumerateDeviceExtensionProperties);
    if (is("vkGetPhysicalDeviceProperties")) return replace(liar.properties, &GetPhysicalDeviceProperties);
    if (is("vkGetPhysicalDeviceProperties2") || is("vkGetPhysicalDeviceProperties2KHR"))
      return replace(liar.properties2, &GetPhysicalDeviceProperties2);
    if (is("vkGetPhysicalDeviceFeatures2") || is("vkGetPhysicalDeviceFeatures2KHR"))
      return replace(liar.features2, &GetPhysicalDeviceFeatures2);
    if (is("vkCreateDevice")) return replace(liar.create_device, &CreateDevice);
    if (is("vkCreateSemaphore")) return replace(liar.create_semaphore, &CreateSemaphore);
  }
  if (is("vkGetDeviceProcAddr")) return replace(liar.get_device_proc_addr, &GetDeviceProcAddr);
  if (is("vkAllocateMemory")) return replace(liar.allocate_memory, &AllocateMemory);
  if (is("vkQueueSubmit")) return replace(liar.queue_submit, &QueueSubmit);
  if (is("vkQueueSubmit2") || is("vkQueueSubmit2KHR")) return replace(liar.queue_submit2, &QueueSubmit2);
  if (is("vkWaitSemaphores") || is("vkWaitSemaphoresKHR")) return replace(liar.wait_semaphores, &WaitSemaphores);
  if (is("vkWaitForFences")) return replace(liar.wait_for_fences, &WaitForFences);
  if (is("vkGetMemoryHostPointerPropertiesEXT")) {
    return replace(liar.host_pointer_properties, &GetMemoryHostPointerPropertiesEXT);
  }
  return real;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name) {
  return Replace(name, TheLiar().get_device_proc_addr.load()(device, name));
}

}  // namespace

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
