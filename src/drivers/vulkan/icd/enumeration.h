// The Vulkan devices of this machine, as their drivers describe them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "drivers/vulkan/icd/library.h"

namespace tandem::vulkan {

struct IcdDevice {
  std::string icd_library;  // argument of dlopen
  std::string manifest_path;
  std::string name;         // VkPhysicalDeviceProperties::deviceName
  std::string driver_name;  // VkPhysicalDeviceDriverProperties; empty if the driver does not report it
  std::string driver_info;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  std::uint32_t vendor_id = 0;
  std::uint32_t device_id = 0;
  std::uint32_t api_version = 0;  // VK_MAKE_API_VERSION
  std::array<std::uint8_t, VK_UUID_SIZE> device_uuid{};
  std::array<std::uint8_t, VK_UUID_SIZE> driver_uuid{};
  bool uuid_derived = false;             // DeviceIdentity::derived
  std::string pci_address;               // "0000:01:00.0"; empty without VK_EXT_pci_bus_info
  std::uint64_t device_local_bytes = 0;  // sum of all device-local heaps
  bool external_memory_host = false;
  // Linear images of the scan-out formats can be rendered to, sampled and stored to (LinearImageUses).
  bool linear_textures = false;
  std::uint64_t import_alignment = 0;  // minImportedHostPointerAlignment, bytes; 0 without the extension
  bool timeline_semaphore = false;     // without it the device shows frames and renders none
  SurfaceSupport surfaces;             // window systems on which VK_KHR_swapchain works
};

// True if linear images of each format of CrossAdapterResourceScanout's list can be a colour attachment and be sampled. Formats
// without an sRGB transfer function must also support stores. `missing` gets a sentence about the first missing use.
[[nodiscard]] bool LinearImageUses(const Dispatch& vk, VkPhysicalDevice device, std::string& missing);

// True if the device has timeline semaphores, of Vulkan 1.2 or by extension.
[[nodiscard]] bool HasTimelineSemaphores(const Dispatch& vk, VkPhysicalDevice device);

struct Enumeration {
  std::vector<IcdDevice> devices;     // in the order of their manifests
  std::vector<std::string> problems;  // a sentence for each manifest or driver that gave no device
};

// Opens every installed driver once. Slow (some tens of milliseconds each). Never fails, never throws.
[[nodiscard]] Enumeration EnumerateDevices();

}  // namespace tandem::vulkan
