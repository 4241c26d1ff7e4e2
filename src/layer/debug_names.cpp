#include "layer/debug_names.h"

#include <cstring>

#include "layer/device.h"

namespace tandem::layer {
namespace {

// Our surfaces and swap chains are pointers that the driver and the loader below do not know.
bool IsOurs(VkObjectType type) { return type == VK_OBJECT_TYPE_SURFACE_KHR || type == VK_OBJECT_TYPE_SWAPCHAIN_KHR; }
bool IsOurs(VkDebugReportObjectTypeEXT type) {
  return type == VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT || type == VK_DEBUG_REPORT_OBJECT_TYPE_SWAPCHAIN_KHR_EXT;
}

// This is an instance extension: the application gets the pointer from its instance, even if nothing below the device takes
// names. A name is a hint, so an unused name is no failure.

VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectNameEXT(VkDevice device, const VkDebugUtilsObjectNameInfoEXT* info) {
  if (IsOurs(info->objectType)) return VK_SUCCESS;
  const auto next = FindDevice(DispatchKey(device))->next.SetDebugUtilsObjectNameEXT;
  return next == nullptr ? VK_SUCCESS : next(device, info);
}

VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectTagEXT(VkDevice device, const VkDebugUtilsObjectTagInfoEXT* info) {
  if (IsOurs(info->objectType)) return VK_SUCCESS;
  const auto next = FindDevice(DispatchKey(device))->next.SetDebugUtilsObjectTagEXT;
  return next == nullptr ? VK_SUCCESS : next(device, info);
}

VKAPI_ATTR VkResult VKAPI_CALL DebugMarkerSetObjectNameEXT(VkDevice device, const VkDebugMarkerObjectNameInfoEXT* info) {
  if (IsOurs(info->objectType)) return VK_SUCCESS;
  const auto next = FindDevice(DispatchKey(device))->next.DebugMarkerSetObjectNameEXT;
  return next == nullptr ? VK_SUCCESS : next(device, info);
}

VKAPI_ATTR VkResult VKAPI_CALL DebugMarkerSetObjectTagEXT(VkDevice device, const VkDebugMarkerObjectTagInfoEXT* info) {
  if (IsOurs(info->objectType)) return VK_SUCCESS;
  const auto next = FindDevice(DispatchKey(device))->next.DebugMarkerSetObjectTagEXT;
  return next == nullptr ? VK_SUCCESS : next(device, info);
}

}  // namespace

PFN_vkVoidFunction DebugNameFunction(const char* name) {
#define TANDEM_NAMED(function) \
  if (std::strcmp(name, "vk" #function) == 0) return reinterpret_cast<PFN_vkVoidFunction>(&function)
  TANDEM_NAMED(SetDebugUtilsObjectNameEXT);
  TANDEM_NAMED(SetDebugUtilsObjectTagEXT);
  TANDEM_NAMED(DebugMarkerSetObjectNameEXT);
  TANDEM_NAMED(DebugMarkerSetObjectTagEXT);
#undef TANDEM_NAMED
  return nullptr;
}

}  // namespace tandem::layer
