// Device extensions that the layer implements, and those that it must hide.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <vulkan/vulkan_core.h>

namespace tandem::layer {

inline constexpr const char* kLayerName = "VK_LAYER_TANDEM_present";

// Extensions that the layer implements itself, whatever the driver supports.
[[nodiscard]] std::span<const VkExtensionProperties> OwnDeviceExtensions();
[[nodiscard]] bool IsOwnDeviceExtension(std::string_view name);

// The driver's list for the application: without extensions that act on swap chains in unsupported ways, and with ours.
[[nodiscard]] std::vector<VkExtensionProperties> VisibleDeviceExtensions(std::span<const VkExtensionProperties> below);

// The loader's list of instance extensions for the application. Version 0 marks entries of the layer's manifest that no driver
// has. Such an entry appears, with its real version, only while the layer is `active`.
[[nodiscard]] std::vector<VkExtensionProperties> VisibleInstanceExtensions(std::span<const VkExtensionProperties> listed,
                                                                           bool active);

// The driver form: the extensions of the driver below, with those that this code implements whatever is below.
[[nodiscard]] std::vector<VkExtensionProperties> WithOwnInstanceExtensions(std::vector<VkExtensionProperties> below);

// True if `listed` contains entries with version 0.
[[nodiscard]] bool HasOwnInstanceExtensions(std::span<const VkExtensionProperties> listed);

[[nodiscard]] bool Contains(std::span<const VkExtensionProperties> list, std::string_view name);

// The driver's complete list; empty when the query fails.
[[nodiscard]] std::vector<VkExtensionProperties> DriverDeviceExtensions(PFN_vkEnumerateDeviceExtensionProperties enumerate,
                                                                        VkPhysicalDevice device);

// Vulkan's two-call protocol: returns the count, or as many values as fit and VK_INCOMPLETE.
template <class T>
VkResult Answer(std::span<const T> values, uint32_t* count, T* out) {
  const auto available = static_cast<uint32_t>(values.size());
  if (out == nullptr) {
    *count = available;
    return VK_SUCCESS;
  }
  const uint32_t given = *count < available ? *count : available;
  for (uint32_t i = 0; i < given; ++i) out[i] = values[i];
  *count = given;
  return given < available ? VK_INCOMPLETE : VK_SUCCESS;
}

}  // namespace tandem::layer
