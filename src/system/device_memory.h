// Answers of a Vulkan adapter's driver about its device, kept from one program to the next.
#pragma once

#include <memory>

#include "config/adapter_info.h"
#include "drivers/vulkan/vulkan_device.h"

namespace tandem::system {

// In a file of the user's (config/device_file.h); null where there is no place for one.
[[nodiscard]] std::shared_ptr<vulkan::DeviceMemory> MakeDeviceMemory(const config::AdapterInfo& adapter);

}  // namespace tandem::system
