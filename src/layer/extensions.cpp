#include "layer/extensions.h"

#include <algorithm>
#include <array>

#include "layer/newer_vulkan.h"

namespace tandem::layer {
namespace {

constexpr std::array kOwn = {
    VkExtensionProperties{VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_KHR_SWAPCHAIN_SPEC_VERSION},
    VkExtensionProperties{VK_KHR_PRESENT_ID_EXTENSION_NAME, VK_KHR_PRESENT_ID_SPEC_VERSION},
    VkExtensionProperties{VK_KHR_PRESENT_WAIT_EXTENSION_NAME, VK_KHR_PRESENT_WAIT_SPEC_VERSION},
    VkExtensionProperties{VK_KHR_INCREMENTAL_PRESENT_EXTENSION_NAME, VK_KHR_INCREMENTAL_PRESENT_SPEC_VERSION},
    VkExtensionProperties{VK_EXT_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME, VK_EXT_SWAPCHAIN_MAINTENANCE_1_SPEC_VERSION},
    VkExtensionProperties{VK_KHR_PRESENT_ID_2_EXTENSION_NAME, VK_KHR_PRESENT_ID_2_SPEC_VERSION},
    VkExtensionProperties{VK_KHR_PRESENT_WAIT_2_EXTENSION_NAME, VK_KHR_PRESENT_WAIT_2_SPEC_VERSION},
    VkExtensionProperties{VK_EXT_PRESENT_TIMING_EXTENSION_NAME, VK_EXT_PRESENT_TIMING_SPEC_VERSION},
    VkExtensionProperties{VK_KHR_CALIBRATED_TIMESTAMPS_EXTENSION_NAME, VK_KHR_CALIBRATED_TIMESTAMPS_SPEC_VERSION},
    VkExtensionProperties{VK_KHR_PRESENT_MODE_FIFO_LATEST_READY_EXTENSION_NAME,
                          VK_KHR_PRESENT_MODE_FIFO_LATEST_READY_SPEC_VERSION},
    VkExtensionProperties{VK_EXT_PRESENT_MODE_FIFO_LATEST_READY_EXTENSION_NAME,
                          VK_EXT_PRESENT_MODE_FIFO_LATEST_READY_SPEC_VERSION},
};

// The layer's manifest has the same list. Window systems stand by name, because their headers are in one file.
constexpr std::array kOwnOfInstance = {
    VkExtensionProperties{VK_KHR_SURFACE_EXTENSION_NAME, VK_KHR_SURFACE_SPEC_VERSION},
    VkExtensionProperties{VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME, VK_KHR_GET_SURFACE_CAPABILITIES_2_SPEC_VERSION},
    VkExtensionProperties{"VK_KHR_xcb_surface", 6},
    VkExtensionProperties{"VK_KHR_xlib_surface", 6},
    VkExtensionProperties{"VK_KHR_wayland_surface", 6},
    VkExtensionProperties{VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_SPEC_VERSION},
    VkExtensionProperties{VK_EXT_SURFACE_MAINTENANCE_1_EXTENSION_NAME, VK_EXT_SURFACE_MAINTENANCE_1_SPEC_VERSION},
    VkExtensionProperties{VK_EXT_SWAPCHAIN_COLOR_SPACE_EXTENSION_NAME, VK_EXT_SWAPCHAIN_COLOR_SPACE_SPEC_VERSION},
};

// Their commands take swap chains of the driver, or their structures promise behaviour that our path does not keep. The KHR name
// of swapchain_maintenance1 needs an instance extension that loaders before 1.4 refuse.
constexpr std::array<std::string_view, 12> kHidden = {
    "VK_AMD_display_native_hdr",
    "VK_EXT_display_control",
    "VK_EXT_full_screen_exclusive",
    "VK_EXT_hdr_metadata",
    "VK_EXT_image_compression_control_swapchain",
    "VK_GOOGLE_display_timing",
    "VK_KHR_display_swapchain",
    "VK_KHR_shared_presentable_image",
    VK_KHR_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME,
    "VK_NV_low_latency2",
    "VK_NV_present_barrier",
    "VK_AMD_anti_lag",
};

}  // namespace

std::span<const VkExtensionProperties> OwnDeviceExtensions() { return kOwn; }

bool IsOwnDeviceExtension(std::string_view name) { return Contains(kOwn, name); }

bool Contains(std::span<const VkExtensionProperties> list, std::string_view name) {
  return std::any_of(list.begin(), list.end(), [name](const VkExtensionProperties& item) { return name == item.extensionName; });
}

std::vector<VkExtensionProperties> VisibleDeviceExtensions(std::span<const VkExtensionProperties> below) {
  std::vector<VkExtensionProperties> visible;
  visible.reserve(below.size() + kOwn.size());
  for (const VkExtensionProperties& item : below) {
    const std::string_view name = item.extensionName;
    if (std::find(kHidden.begin(), kHidden.end(), name) == kHidden.end() && !IsOwnDeviceExtension(name)) visible.push_back(item);
  }
  visible.insert(visible.end(), kOwn.begin(), kOwn.end());
  return visible;
}

std::vector<VkExtensionProperties> VisibleInstanceExtensions(std::span<const VkExtensionProperties> listed, bool active) {
  std::vector<VkExtensionProperties> visible;
  visible.reserve(listed.size());
  for (VkExtensionProperties item : listed) {
    if (item.specVersion == 0 && !active) continue;
    item.specVersion = std::max(item.specVersion, 1U);  // the version of every marked extension
    visible.push_back(item);
  }
  return visible;
}

std::vector<VkExtensionProperties> WithOwnInstanceExtensions(std::vector<VkExtensionProperties> below) {
  for (const VkExtensionProperties& own : kOwnOfInstance) {
    if (!Contains(below, own.extensionName)) below.push_back(own);
  }
  return below;
}

bool HasOwnInstanceExtensions(std::span<const VkExtensionProperties> listed) {
  return std::ranges::any_of(listed, [](const VkExtensionProperties& item) { return item.specVersion == 0; });
}

std::vector<VkExtensionProperties> DriverDeviceExtensions(PFN_vkEnumerateDeviceExtensionProperties enumerate,
                                                          VkPhysicalDevice device) {
  std::vector<VkExtensionProperties> list;
  VkResult result = VK_INCOMPLETE;
  while (result == VK_INCOMPLETE) {
    uint32_t count = 0;
    if (enumerate(device, nullptr, &count, nullptr) != VK_SUCCESS) return {};
    list.resize(count);
    result = enumerate(device, nullptr, &count, list.data());
    list.resize(count);
  }
  return result == VK_SUCCESS ? list : std::vector<VkExtensionProperties>{};
}

}  // namespace tandem::layer
