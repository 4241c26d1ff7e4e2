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
  return std::nullopt;
}
