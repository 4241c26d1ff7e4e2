// Identity of a Vulkan device: the same one in every instance of its driver.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "drivers/vulkan/icd/dispatch.h"

namespace tandem::vulkan {

struct DeviceIdentity {
  std::array<std::uint8_t, VK_UUID_SIZE> device_uuid{};
  std::array<std::uint8_t, VK_UUID_SIZE> driver_uuid{};
  bool derived = false;  // device_uuid is ours, made of the device's properties: its driver has none
};

// Identities of `devices`, in their order. Drivers of Vulkan 1.0 may have no UUIDs. Theirs are made of vendor, device, driver
// version, pipeline cache UUID and name, and of the place among devices that are equal in all of these.
//
// Precondition: `devices` are all devices of one instance, in the instance's order.
[[nodiscard]] std::vector<DeviceIdentity> IdentitiesOf(const Dispatch& vk, std::span<const VkPhysicalDevice> devices);

}  // namespace tandem::vulkan
