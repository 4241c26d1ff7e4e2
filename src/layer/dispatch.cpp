#include "layer/dispatch.h"

#include <cstring>

namespace tandem::layer {

InstanceTable LoadInstanceTable(VkInstance instance, PFN_vkGetInstanceProcAddr next) {
  InstanceTable table;
  table.GetInstanceProcAddr = next;
#define TANDEM_LOAD(name) table.name = reinterpret_cast<PFN_vk##name>(next(instance, "vk" #name));
  TANDEM_INSTANCE_FUNCTIONS(TANDEM_LOAD)
#undef TANDEM_LOAD
  return table;
}

PFN_vkVoidFunction FindByName(const InstanceTable& table, const char* name) {
#define TANDEM_NAMED(function) \
  if (std::strcmp(name, "vk" #function) == 0) return reinterpret_cast<PFN_vkVoidFunction>(table.function);
  TANDEM_INSTANCE_FUNCTIONS(TANDEM_NAMED)
#undef TANDEM_NAMED
  return nullptr;
}

DeviceTable LoadDeviceTable(VkDevice device, PFN_vkGetDeviceProcAddr next) {
  DeviceTable table;
  table.GetDeviceProcAddr = next;
#define TANDEM_LOAD(name) table.name = reinterpret_cast<PFN_vk##name>(next(device, "vk" #name));
  TANDEM_DEVICE_FUNCTIONS(TANDEM_LOAD)
#undef TANDEM_LOAD
  return table;
}

void Complete(DeviceTable& table, const char* name, PFN_vkVoidFunction function) {
#define TANDEM_COMPLETE(member) \
  if (table.member == nullptr && std::strcmp(name, "vk" #member) == 0) table.member = reinterpret_cast<PFN_vk##member>(function);
  TANDEM_DEVICE_FUNCTIONS(TANDEM_COMPLETE)
#undef TANDEM_COMPLETE
}

}  // namespace tandem::layer
