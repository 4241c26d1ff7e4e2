#include "tests/programs/hiding.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/programs/liar.h"

namespace {

template <class T>
T* FindOut(void* chain, VkStructureType type) {
  for (auto next = static_cast<VkBaseOutStructure*>(chain); next != nullptr; next = next->pNext) {
    if (next->sType == type) return reinterpret_cast<T*>(next);
  }
  return nullptr;
}

// Extensions that the lie takes away: those of windows, or those that came after the driver.
bool IsHidden(const char* extension) {
  const Liar& liar = TheLiar();
  const auto has = [extension](const char* part) { return std::strstr(extension, part) != nullptr; };
  const bool windows = has("surface") || has("swapchain");
  if (liar.lie == Lie::kNoSurfaces) return windows;
  if (liar.lie == Lie::kVulkan11) return has("timeline_semaphore") || has("_external_memory");
  const bool uuids = has("get_physical_device_properties2") || has("external_memory_capabilities");
  return liar.IsVulkan10() && !windows && !(uuids && liar.lie == Lie::kVulkan10Uuid);
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
  const auto is_one_of = [name](std::initializer_list<const char*> hidden) {
    return std::any_of(hidden.begin(), hidden.end(),
                       [name](const char* part) { return std::strncmp(name, part, std::strlen(part)) == 0; });
  };
  if (is_one_of({"vkWaitSemaphores", "vkSignalSemaphore", "vkGetSemaphoreCounterValue", "vkGetMemoryHostPointer", "vkGetMemoryFd",
                 "vkQueueSubmit2"})) {
    return true;
  }
  if (!TheLiar().IsVulkan10()) return false;
  const bool query = std::strncmp(name, "vkGetPhysicalDevice", 19) == 0 && std::strstr(name, "2") != nullptr;
  const bool core_name = std::strstr(name, "KHR") == nullptr;
  if (query) return core_name || TheLiar().lie == Lie::kVulkan10;
  return is_one_of({"vkEnumerateInstanceVersion", "vkEnumeratePhysicalDeviceGroups", "vkCmdDispatchBase", "vkTrimCommandPool",
                    "vkGetDeviceQueue2", "vkBindBufferMemory2", "vkBindImageMemory2", "vkGetBufferMemoryRequirements2",
                    "vkGetImageMemoryRequirements2"});
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceVersion(std::uint32_t* version) {
  *version = TheLiar().version();
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  TheLiar().properties.load()(device, properties);
  properties->apiVersion = TheLiar().version();
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  TheLiar().properties2.load()(device, properties);
  properties->properties.apiVersion = TheLiar().version();
}

// An old driver does not know these structures, and leaves them alone.
VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  TheLiar().features2.load()(device, features);
  if (auto* timeline = FindOut<VkPhysicalDeviceTimelineSemaphoreFeatures>(
          features->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES)) {
    timeline->timelineSemaphore = VK_FALSE;
  }
}

// A driver of Vulkan 1.0 refuses instances of later versions.
VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                              VkInstance* instance) {
  if (info->pApplicationInfo != nullptr && info->pApplicationInfo->apiVersion >= VK_API_VERSION_1_1) {
    return VK_ERROR_INCOMPATIBLE_DRIVER;
  }
  for (std::uint32_t i = 0; i < info->enabledExtensionCount; ++i) {
    if (IsHidden(info->ppEnabledExtensionNames[i])) return VK_ERROR_EXTENSION_NOT_PRESENT;
  }
  return TheLiar().create_instance.load()(info, allocator, instance);
}

// It knows SPIR-V 1.0 alone.
VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator, VkShaderModule* module) {
  if (info->pCode[1] > 0x00010000) return VK_ERROR_OUT_OF_HOST_MEMORY;
  return TheLiar().create_shader_module.load()(device, info, allocator, module);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice device, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* created) {
  Liar& liar = TheLiar();
  if (liar.LosesDevices()) {
    if (liar.Started() && liar.lie == Lie::kVanish) return VK_ERROR_DEVICE_LOST;
    if (liar.Started()) liar.StopLosing();
    return liar.create_device.load()(device, info, allocator, created);
  }
  for (std::uint32_t i = 0; i < info->enabledExtensionCount; ++i) {
    if (IsHidden(info->ppEnabledExtensionNames[i])) return VK_ERROR_EXTENSION_NOT_PRESENT;
  }
  if (FindOut<VkPhysicalDeviceTimelineSemaphoreFeatures>(const_cast<void*>(info->pNext),
                                                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES)) {
    return VK_ERROR_FEATURE_NOT_PRESENT;
  }
  return liar.create_device.load()(device, info, allocator, created);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo* info,
                                               const VkAllocationCallbacks* allocator, VkSemaphore* semaphore) {
  if (FindOut<VkSemaphoreTypeCreateInfo>(const_cast<void*>(info->pNext), VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO)) {
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  }
  return TheLiar().create_semaphore.load()(device, info, allocator, semaphore);
}

}  // namespace

std::optional<PFN_vkVoidFunction> ReplaceByHiding(const char* name, PFN_vkVoidFunction real) {
  Liar& liar = TheLiar();
  const auto replace = [real](auto& slot, auto ours) { return ReplaceInto(slot, real, ours); };
  const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
  if (liar.lie == Lie::kNoSurfaces) {
    if (std::strstr(name, "Surface") != nullptr || std::strstr(name, "Swapchain") != nullptr) return nullptr;
    if (is("vkEnumerateInstanceExtensionProperties")) {
      return replace(liar.instance_extensions, &EnumerateInstanceExtensionProperties);
    }
    if (is("vkEnumerateDeviceExtensionProperties")) return replace(liar.device_extensions, &EnumerateDeviceExtensionProperties);
  }
  if ((liar.lie == Lie::kVanish || liar.lie == Lie::kLoseOnce) && is("vkCreateDevice"))
    return replace(liar.create_device, &CreateDevice);
  if (liar.IsVulkan10()) {
    if (is("vkEnumerateInstanceExtensionProperties")) {
      return replace(liar.instance_extensions, &EnumerateInstanceExtensionProperties);
    }
    if (is("vkCreateInstance")) return replace(liar.create_instance, &CreateInstance);
    if (is("vkCreateShaderModule")) return replace(liar.create_shader_module, &CreateShaderModule);
  }
  if (liar.IsOld()) {
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
  return std::nullopt;
}
