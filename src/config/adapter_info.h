// Description of one adapter of this machine, before and after its start.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tandem::config {

struct AdapterInfo {
  std::uint32_t index = 0;    // in System::adapters(); the number that a user types
  std::string name;           // "llvmpipe (LLVM 15.0.6, 256 bits)"
  std::string kind;           // "discrete", "integrated", "virtual", "cpu"
  std::string driver;         // "vulkan", "soft" or "kms"
  std::string driver_detail;  // VkPhysicalDeviceDriverProperties: "llvmpipe Mesa 22.3.6"
  std::string pci_address;    // "0000:01:00.0"; empty when there is none
  std::uint32_t vendor_id = 0;
  std::uint32_t device_id = 0;
  std::array<std::uint8_t, 16> device_uuid{};
  std::array<std::uint8_t, 16> driver_uuid{};
  bool uuid_derived = false;  // device_uuid is made of the device's properties: its driver has none
  std::uint32_t tier = 0;     // cross-adapter tier, 0..3
  std::string tier_reason;    // one sentence
  std::uint64_t memory_bytes = 0;
  std::vector<std::string> outputs;  // "x11", "wayland", "headless", "wsi-xcb", …
  std::string icd_library;           // Vulkan adapters: the ICD's shared library
  std::string icd_manifest;          // the file that names that library to the Vulkan loader
  bool can_render = false;           // runs Vulkan programs
  bool can_display = false;
  bool hidden = false;  // no graphics adapter to programs: it renders when it is named
};

// True for two descriptions of one adapter, whatever its place in their lists.
[[nodiscard]] inline bool IsSameAdapter(const AdapterInfo& a, const AdapterInfo& b) {
  return a.name == b.name && a.pci_address == b.pci_address && a.device_uuid == b.device_uuid && a.driver_uuid == b.driver_uuid &&
         a.icd_library == b.icd_library;
}

}  // namespace tandem::config
