// The Vulkan driver of the render adapter, opened without the Vulkan loader.
#pragma once

#include <string>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "config/adapter_info.h"

namespace tandem::system {

struct RenderDriver {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  // Finds commands on physical devices that the loader does not know; null if the driver has none.
  PFN_vkVoidFunction(VKAPI_PTR* get_physical_device_proc_addr)(VkInstance instance, const char* name) = nullptr;
};

// The driver stays loaded for the process's lifetime. kIo, kUnsupported.
[[nodiscard]] Result<RenderDriver> OpenRenderDriver(const config::AdapterInfo& adapter);
// Opens the driver that a manifest names, which stays loaded as well. The errors of vulkan::ReadManifest(), too; kUnsupported for
// Tandem's own.
[[nodiscard]] Result<RenderDriver> OpenDriverOf(const std::string& manifest);

}  // namespace tandem::system
