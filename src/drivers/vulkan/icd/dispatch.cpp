#include "drivers/vulkan/icd/dispatch.h"

#include <string>

namespace tandem::vulkan {
namespace {

// Tries the core name first; where both names exist they are the same function.
template <class Pfn, class Lookup>
bool Load(Pfn& function, const char* name, Lookup lookup) {
  function = reinterpret_cast<Pfn>(lookup(name));
  if (function == nullptr) function = reinterpret_cast<Pfn>(lookup((std::string(name) + "KHR").c_str()));
  return function != nullptr;
}

}  // namespace

Result<void> Dispatch::LoadInstance(VkInstance instance, PFN_vkGetInstanceProcAddr get_instance_proc_addr) {
  const auto lookup = [&](const char* name) { return get_instance_proc_addr(instance, name); };
#define TANDEM_VK_LOAD(name)           \
  if (!Load(name, "vk" #name, lookup)) \
    return Fail(ErrorKind::kUnsupported, "The Vulkan instance has no function {}.", "vk" #name);
  TANDEM_VK_INSTANCE_FUNCTIONS(TANDEM_VK_LOAD)
#undef TANDEM_VK_LOAD
#define TANDEM_VK_LOAD(name) Load(name, "vk" #name, lookup);
  TANDEM_VK_QUERY_FUNCTIONS(TANDEM_VK_LOAD)
  TANDEM_VK_SURFACE_FUNCTIONS(TANDEM_VK_LOAD)
#undef TANDEM_VK_LOAD
  return {};
}

Result<void> Dispatch::LoadDevice(VkDevice device, PFN_vkGetDeviceProcAddr get_device_proc_addr) {
  const auto lookup = [&](const char* name) { return get_device_proc_addr(device, name); };
#define TANDEM_VK_LOAD(name) \
  if (!Load(name, "vk" #name, lookup)) return Fail(ErrorKind::kUnsupported, "The Vulkan device has no function {}.", "vk" #name);
  TANDEM_VK_DEVICE_FUNCTIONS(TANDEM_VK_LOAD)
#undef TANDEM_VK_LOAD
#define TANDEM_VK_LOAD(name) Load(name, "vk" #name, lookup);
  TANDEM_VK_EXTENSION_FUNCTIONS(TANDEM_VK_LOAD)
#undef TANDEM_VK_LOAD
  return {};
}

VkPhysicalDeviceProperties Dispatch::ReadProperties(VkPhysicalDevice device, void* further) const {
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = further;
  if (GetPhysicalDeviceProperties2 != nullptr) {
    GetPhysicalDeviceProperties2(device, &properties);
  } else {
    GetPhysicalDeviceProperties(device, &properties.properties);
  }
  return properties.properties;
}

VkResult Dispatch::ReadImageFormat(VkPhysicalDevice device, const VkPhysicalDeviceImageFormatInfo2& query,
                                   VkImageFormatProperties2& answer) const {
  if (GetPhysicalDeviceImageFormatProperties2 != nullptr) {
    return GetPhysicalDeviceImageFormatProperties2(device, &query, &answer);
  }
  if (query.pNext != nullptr) return VK_ERROR_FORMAT_NOT_SUPPORTED;
  return GetPhysicalDeviceImageFormatProperties(device, query.format, query.type, query.tiling, query.usage, query.flags,
                                                &answer.imageFormatProperties);
}

std::string ToString(VkResult result) {
  switch (result) {
#define TANDEM_VK_NAME(name) \
  case name: return #name;
    TANDEM_VK_NAME(VK_SUCCESS)
    TANDEM_VK_NAME(VK_NOT_READY)
    TANDEM_VK_NAME(VK_TIMEOUT)
    TANDEM_VK_NAME(VK_SUBOPTIMAL_KHR)
    TANDEM_VK_NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
    TANDEM_VK_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    TANDEM_VK_NAME(VK_ERROR_INITIALIZATION_FAILED)
    TANDEM_VK_NAME(VK_ERROR_DEVICE_LOST)
    TANDEM_VK_NAME(VK_ERROR_MEMORY_MAP_FAILED)
    TANDEM_VK_NAME(VK_ERROR_LAYER_NOT_PRESENT)
    TANDEM_VK_NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
    TANDEM_VK_NAME(VK_ERROR_FEATURE_NOT_PRESENT)
    TANDEM_VK_NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
    TANDEM_VK_NAME(VK_ERROR_TOO_MANY_OBJECTS)
    TANDEM_VK_NAME(VK_ERROR_FORMAT_NOT_SUPPORTED)
    TANDEM_VK_NAME(VK_ERROR_UNKNOWN)
    TANDEM_VK_NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE)
    TANDEM_VK_NAME(VK_ERROR_SURFACE_LOST_KHR)
    TANDEM_VK_NAME(VK_ERROR_NATIVE_WINDOW_IN_USE_KHR)
    TANDEM_VK_NAME(VK_ERROR_OUT_OF_DATE_KHR)
#undef TANDEM_VK_NAME
    default: return "VkResult " + std::to_string(static_cast<int>(result));
  }
}

ErrorKind ToErrorKind(VkResult result, ErrorKind other) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY: return ErrorKind::kOutOfMemory;
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return ErrorKind::kOutOfVideoMemory;
    case VK_ERROR_DEVICE_LOST: return ErrorKind::kDeviceLost;
    default: return other;
  }
}

}  // namespace tandem::vulkan
