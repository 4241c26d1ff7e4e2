// A Vulkan driver's answers about its device, kept between programs.
#pragma once

#include <memory>

#include "config/adapter_info.h"
#include "drivers/vulkan/vulkan_device.h"

namespace tandem::system {

// Stored in a file of the user (config/device_file.h); null if no folder for the file exists.
[[nodiscard]] std::shared_ptr<vulkan::DeviceMemory> MakeDeviceMemory(const config::AdapterInfo& adapter);

}  // namespace tandem::system
