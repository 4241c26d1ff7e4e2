#include "layer/dispatch.h"

namespace tandem::layer {

InstanceTable LoadInstanceTable(VkInstance instance, PFN_vkGetInstanceProcAddr next) {
  InstanceTable table;
  table.GetInstanceProcAddr = next;
#define TANDEM_LOAD(name) table.name = reinterpret_cast<PFN_vk##name>(next(instance, "vk" #name));
  TANDEM_INSTANCE_FUNCTIONS(TANDEM_LOAD)
#undef TANDEM_LOAD
  return table;
}

DeviceTable LoadDeviceTable(VkDevice device, PFN_vkGetDeviceProcAddr next) {
  DeviceTable table;
  table.GetDeviceProcAddr = next;
#define TANDEM_LOAD(name) table.name = reinterpret_cast<PFN_vk##name>(next(device, "vk" #name));
  TANDEM_DEVICE_FUNCTIONS(TANDEM_LOAD)
#undef TANDEM_LOAD
  return table;
}

}  // namespace tandem::layer
