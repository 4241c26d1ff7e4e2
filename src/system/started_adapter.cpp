#include "system/started_adapter.h"

#include "system/device_memory.h"

namespace tandem::system {

StartedAdapter::StartedAdapter(Graphics& graphics, const config::AdapterInfo& info, std::uint32_t connectors)
    : graphics_(graphics) {
  if (info.driver == "vulkan") {
    vulkan_device_.own = vulkan::OwnDevice{info.icd_library, info.device_uuid, info.driver_uuid};
    vulkan_device_.memory = MakeDeviceMemory(info);
    luid_ = graphics.AddVulkanAdapter(vulkan_device_, info);
  } else {
    if (connectors != 0) soft_device_.connectors = soft::CreateConnectors(connectors);
    luid_ = graphics.AddSoftAdapter(&soft_device_, info);
  }
  if (!luid_.ok()) luid_ = luid_.error().Context(info.name);
}

StartedAdapter::~StartedAdapter() {
  if (luid_.ok()) graphics_.RemoveAdapter(*luid_);
}

}  // namespace tandem::system
