#include "layer/sleeping_driver.h"

#include <atomic>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "layer/extensions.h"
#include "layer/guard.h"
#include "layer/sleeping_commands.h"

namespace tandem::layer {
namespace {

std::atomic<const SleepingDriver*>& Current() {
  static std::atomic<const SleepingDriver*> current{nullptr};
  return current;
}

// vkGetDeviceProcAddr of the open driver, one for all its devices.
std::atomic<PFN_vkGetDeviceProcAddr>& DeviceFunctions() {
  static std::atomic<PFN_vkGetDeviceProcAddr> functions{nullptr};
  return functions;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name) {
  return DeviceFunctions().load(std::memory_order_acquire)(device, name);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceVersion(uint32_t* version) {
  *version = Current().load(std::memory_order_acquire)->record.InstanceVersion();
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceExtensionProperties(const char* layer, uint32_t* count,
                                                                    VkExtensionProperties* properties) {
  if (layer != nullptr) return VK_ERROR_LAYER_NOT_PRESENT;
  return Guarded([&]() -> VkResult {
    const auto& answers = Current().load(std::memory_order_acquire)->record.driver;
    const auto extensions = answers.Extensions(system::Question::kInstanceExtensions);
    return Answer(std::span<const VkExtensionProperties>(extensions), count, properties);
  });
}

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* create_info, const VkAllocationCallbacks* allocator,
                                              VkInstance* instance) {
  return Guarded([&]() -> VkResult {
    const SleepingDriver& driver = *Current().load(std::memory_order_acquire);
    auto created = std::make_unique<SleepingInstance>(driver, *create_info, allocator);
    if (!created->may_sleep() && created->Wake("vkCreateInstance", create_info) == nullptr) return VK_ERROR_INCOMPATIBLE_DRIVER;
    *instance = created.release()->handle();
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance instance, const VkAllocationCallbacks* /*allocator*/) {
  if (instance == VK_NULL_HANDLE) return;
  const CancellationOff off;
  const std::unique_ptr<SleepingInstance> ended(&SleepingInstance::Of(instance));
}

// The driver's own handles in place of those in a VkDeviceGroupDeviceCreateInfo, while it lives. The loader makes that
// structure anew for each call, so it may be written.
class GroupOfOpenDevices {
 public:
  GroupOfOpenDevices(const void* chain, const OpenInstance& open) {
    for (auto* item = static_cast<VkBaseOutStructure*>(const_cast<void*>(chain)); item != nullptr; item = item->pNext) {
      if (item->sType == VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO) {
        group_ = reinterpret_cast<VkDeviceGroupDeviceCreateInfo*>(item);
      }
    }
    if (group_ == nullptr || group_->physicalDeviceCount == 0) return;
    before_ = group_->pPhysicalDevices;
    for (const VkPhysicalDevice device : std::span(before_, group_->physicalDeviceCount)) {
      devices_.push_back(open.devices[SleepingDevice::Of(device).position]);
    }
    group_->pPhysicalDevices = devices_.data();
  }
  ~GroupOfOpenDevices() {
    if (before_ != nullptr) group_->pPhysicalDevices = before_;
  }
  GroupOfOpenDevices(const GroupOfOpenDevices&) = delete;
  GroupOfOpenDevices& operator=(const GroupOfOpenDevices&) = delete;

 private:
  VkDeviceGroupDeviceCreateInfo* group_ = nullptr;
  const VkPhysicalDevice* before_ = nullptr;
  std::vector<VkPhysicalDevice> devices_;
};

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice device, const VkDeviceCreateInfo* create_info,
                                            const VkAllocationCallbacks* allocator, VkDevice* created) {
  return Guarded([&]() -> VkResult {
    SleepingInstance& instance = *SleepingDevice::Of(device).instance;
    const OpenInstance* const open = instance.Wake("vkCreateDevice");
    if (open == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    if (open->devices[SleepingDevice::Of(device).position] == VK_NULL_HANDLE) {
      instance.driver().failed(
          Fail(ErrorKind::kNotFound, "{} no longer has the device that its record shows.", instance.driver().name));
      return VK_ERROR_INITIALIZATION_FAILED;
    }
    const auto functions = reinterpret_cast<PFN_vkGetDeviceProcAddr>(open->get(open->handle, "vkGetDeviceProcAddr"));
    if (functions == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    DeviceFunctions().store(functions, std::memory_order_release);
    const GroupOfOpenDevices group(create_info->pNext, *open);
    return Forward<"vkCreateDevice", PFN_vkCreateDevice>::Call(device, create_info, allocator, created);
  });
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance handle, const char* name);

PFN_vkVoidFunction GlobalFunction(const char* name) {
#define TANDEM_NAMED(function) \
  if (std::strcmp(name, "vk" #function) == 0) return reinterpret_cast<PFN_vkVoidFunction>(&function)
  TANDEM_NAMED(CreateInstance);
  TANDEM_NAMED(EnumerateInstanceExtensionProperties);
  TANDEM_NAMED(EnumerateInstanceVersion);
  TANDEM_NAMED(GetInstanceProcAddr);
  return nullptr;
}

// The command on this handle of ours, if the driver has it for an instance with these extensions.
PFN_vkVoidFunction CommandOf(const SleepingInstance& instance, const SleepingCommand& command) {
  const std::string_view extension(command.extension);
  const bool enabled = !extension.empty() && instance.Enables(extension);
  if (!enabled && !instance.driver().record.HasCommand(command.name)) return nullptr;
  const char* const name = command.name;
  TANDEM_NAMED(DestroyInstance);
  TANDEM_NAMED(CreateDevice);
#undef TANDEM_NAMED
  const auto query = SleepingQuery(name);
  return query != nullptr ? query : command.function;
}

// Programs ask for hundreds of names that are newer than their loader, which hands them on. Such a name opens nothing, so it is
// unknown until the driver is open. A command on physical devices stays unknown: it would get a handle of ours.
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance handle, const char* name) {
  if (const auto global = GlobalFunction(name)) return global;
  if (handle == VK_NULL_HANDLE) return nullptr;
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(&GetDeviceProcAddr);
  const SleepingInstance& instance = SleepingInstance::Of(handle);
  if (const auto* const command = FindSleepingCommand(name)) return CommandOf(instance, *command);
  const OpenInstance* const open = instance.open();
  const bool of_physical_device = std::string_view(name).starts_with("vkGetPhysicalDevice");
  return open == nullptr || of_physical_device ? nullptr : open->get(open->handle, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetPhysicalDeviceProcAddr(VkInstance handle, const char* name) {
  const auto* const command = handle == VK_NULL_HANDLE ? nullptr : FindSleepingCommand(name);
  return command == nullptr || !command->of_physical_device ? nullptr : CommandOf(SleepingInstance::Of(handle), *command);
}

}  // namespace

system::RenderDriver MakeSleepingDriver(std::unique_ptr<const SleepingDriver> driver) {
  Current().store(driver.release(), std::memory_order_release);
  return {&GetInstanceProcAddr, &GetPhysicalDeviceProcAddr};
}

}  // namespace tandem::layer
