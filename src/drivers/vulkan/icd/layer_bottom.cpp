#include "drivers/vulkan/icd/layer_bottom.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tandem::vulkan {
namespace {

thread_local InstanceTable* t_creating = nullptr;

// The first word of a dispatchable object.
void*& Word(void* object) { return *static_cast<void**>(object); }
InstanceTable& TableOf(VkInstance instance) { return *static_cast<InstanceTable*>(Word(instance)); }
InstanceTable& TableOf(VkPhysicalDevice device) { return *static_cast<InstanceTable*>(Word(device)); }
DeviceTable& TableOf(VkDevice device) { return *static_cast<DeviceTable*>(Word(device)); }

template <class Pfn>
void Take(Pfn& function, PFN_vkVoidFunction found) {
  function = reinterpret_cast<Pfn>(found);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                              VkInstance* instance) {
  if (t_creating == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  InstanceTable& table = *t_creating;
  const VkResult result = table.create(info, allocator, instance);
  if (result != VK_SUCCESS) return result;
  Take(table.enumerate, table.get(*instance, "vkEnumeratePhysicalDevices"));
  Take(table.create_device, table.get(*instance, "vkCreateDevice"));
  Take(table.get_device, table.get(*instance, "vkGetDeviceProcAddr"));
  Word(*instance) = &table;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDevices(VkInstance instance, std::uint32_t* count, VkPhysicalDevice* devices) {
  InstanceTable& table = TableOf(instance);
  const VkResult result = table.enumerate(instance, count, devices);
  for (std::uint32_t i = 0; result >= 0 && devices != nullptr && i < *count; ++i) Word(devices[i]) = &table;
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* device) {
  InstanceTable& instance = TableOf(physical);
  const VkResult result = instance.create_device(physical, info, allocator, device);
  if (result != VK_SUCCESS) return result;
  DeviceTable& table = *instance.devices.emplace_back(std::make_unique<DeviceTable>());
  table.get = instance.get_device;
  Take(table.get_queue, table.get(*device, "vkGetDeviceQueue"));
  Take(table.get_queue2, table.get(*device, "vkGetDeviceQueue2"));
  Take(table.allocate, table.get(*device, "vkAllocateCommandBuffers"));
  Word(*device) = &table;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue(VkDevice device, std::uint32_t family, std::uint32_t index, VkQueue* queue) {
  TableOf(device).get_queue(device, family, index, queue);
  if (*queue != VK_NULL_HANDLE) Word(*queue) = Word(device);
}

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2* info, VkQueue* queue) {
  TableOf(device).get_queue2(device, info, queue);
  if (*queue != VK_NULL_HANDLE) Word(*queue) = Word(device);
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                                      VkCommandBuffer* buffers) {
  const VkResult result = TableOf(device).allocate(device, info, buffers);
  for (std::uint32_t i = 0; result == VK_SUCCESS && i < info->commandBufferCount; ++i) Word(buffers[i]) = Word(device);
  return result;
}

struct Function {
  std::string_view name;
  PFN_vkVoidFunction function;
};

template <class Pfn>
Function Named(std::string_view name, Pfn function) {
  return {name, reinterpret_cast<PFN_vkVoidFunction>(function)};
}

// Null: the driver's own function is the bottom's.
PFN_vkVoidFunction DeviceFunction(std::string_view name) {
  static const Function kFunctions[] = {
      Named("vkGetDeviceProcAddr", &BottomGetDeviceProcAddr),
      Named("vkGetDeviceQueue", &GetDeviceQueue),
      Named("vkGetDeviceQueue2", &GetDeviceQueue2),
      Named("vkAllocateCommandBuffers", &AllocateCommandBuffers),
  };
  const auto* const found = std::ranges::find(kFunctions, name, &Function::name);
  return found == std::end(kFunctions) ? nullptr : found->function;
}

PFN_vkVoidFunction InstanceFunction(std::string_view name) {
  static const Function kFunctions[] = {
      Named("vkGetInstanceProcAddr", &BottomGetInstanceProcAddr),
      Named("vkCreateInstance", &CreateInstance),
      Named("vkEnumeratePhysicalDevices", &EnumeratePhysicalDevices),
      Named("vkCreateDevice", &CreateDevice),
  };
  const auto* const found = std::ranges::find(kFunctions, name, &Function::name);
  return found == std::end(kFunctions) ? DeviceFunction(name) : found->function;
}

}  // namespace

CreatingInstance::CreatingInstance(InstanceTable& table) { t_creating = &table; }
CreatingInstance::~CreatingInstance() { t_creating = nullptr; }

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL BottomGetInstanceProcAddr(VkInstance instance, const char* name) {
  const PFN_vkVoidFunction own = InstanceFunction(name);
  if (instance == VK_NULL_HANDLE) {
    // Layers ask so for vkCreateDevice, too.
    return own != nullptr || t_creating == nullptr ? own : t_creating->get(nullptr, name);
  }
  const PFN_vkVoidFunction below = TableOf(instance).get(instance, name);
  return own != nullptr && below != nullptr ? own : below;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL BottomGetPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
  const GetPhysicalDeviceProcAddr get = instance != VK_NULL_HANDLE ? TableOf(instance).get_physical : nullptr;
  return get != nullptr ? get(instance, name) : nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL BottomGetDeviceProcAddr(VkDevice device, const char* name) {
  const PFN_vkVoidFunction below = TableOf(device).get(device, name);
  const PFN_vkVoidFunction own = DeviceFunction(name);
  return own != nullptr && below != nullptr ? own : below;
}

VKAPI_ATTR VkResult VKAPI_CALL SetInstanceLoaderData(VkInstance instance, void* object) {
  Word(object) = Word(instance);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL SetDeviceLoaderData(VkDevice device, void* object) {
  Word(object) = Word(device);
  return VK_SUCCESS;
}

}  // namespace tandem::vulkan
