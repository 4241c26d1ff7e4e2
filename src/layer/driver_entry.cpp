// Exported symbols of the driver form, which the Vulkan loader finds by VK_DRIVER_FILES. The loader calls it as it calls any
// driver; below it is the render adapter's driver, without a loader between.
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <vulkan/vk_icd.h>
#include <vulkan/vulkan_core.h>

#include "base/log.h"
#include "config/settings.h"
#include "layer/driver_below.h"
#include "layer/entry_points.h"
#include "layer/extensions.h"
#include "layer/guard.h"
#include "layer/instance.h"
#include "layer/process.h"
#include "layer/surface.h"
#include "layer/surface_queries.h"
#include "layer/timing_commands.h"
#include "system/render_driver.h"

namespace tandem::layer {
namespace {

// Loader-ICD interfaces. From 3 on a driver creates its own surfaces; nothing up to 7 asks more of a driver on Linux.
constexpr std::uint32_t kOldestInterface = 3;
constexpr std::uint32_t kNewestInterface = 7;

[[maybe_unused]] const bool kDriverForm = keys_are_handles = true;

std::vector<VkExtensionProperties> ExtensionsOf(const system::RenderDriver& driver) {
  const auto enumerate = reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(
      driver.get_instance_proc_addr(VK_NULL_HANDLE, "vkEnumerateInstanceExtensionProperties"));
  std::uint32_t count = 0;
  if (enumerate == nullptr || enumerate(nullptr, &count, nullptr) != VK_SUCCESS) return {};
  std::vector<VkExtensionProperties> extensions(count);
  if (enumerate(nullptr, &count, extensions.data()) < 0) return {};
  extensions.resize(count);
  return extensions;
}

std::vector<VkExtensionProperties> VisibleExtensions() {
  if (const auto* const below = DriverBelow()) return WithOwnInstanceExtensions(ExtensionsOf(*below));
  const auto* const plain = PlainDriver();
  return plain == nullptr ? std::vector<VkExtensionProperties>() : ExtensionsOf(*plain);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceExtensionProperties(const char* layer, uint32_t* count,
                                                                    VkExtensionProperties* properties) {
  return Guarded([&]() -> VkResult {
    if (layer != nullptr) return VK_ERROR_LAYER_NOT_PRESENT;
    const auto visible = VisibleExtensions();
    return Answer(std::span<const VkExtensionProperties>(visible), count, properties);
  });
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceVersion(uint32_t* version) {
  return Guarded([&]() -> VkResult {
    *version = VK_API_VERSION_1_3;
    const auto* below = DriverBelow();
    if (below == nullptr) below = PlainDriver();
    if (below == nullptr) return VK_SUCCESS;
    const auto enumerate = reinterpret_cast<PFN_vkEnumerateInstanceVersion>(
        below->get_instance_proc_addr(VK_NULL_HANDLE, "vkEnumerateInstanceVersion"));
    return enumerate == nullptr ? VK_SUCCESS : enumerate(version);
  });
}

DeviceBelow OfDriver(const Instance& instance, const VkDeviceCreateInfo& /*create_info*/) {
  const PFN_vkGetInstanceProcAddr get = instance.next.GetInstanceProcAddr;
  const auto get_device = reinterpret_cast<PFN_vkGetDeviceProcAddr>(get(instance.handle, "vkGetDeviceProcAddr"));
  return {get_device == nullptr ? nullptr : get, get_device, nullptr};
}

// The driver for an instance, in Tandem's place if the user or the policy leaves the program alone. Null: none.
const system::RenderDriver* DriverFor(const Result<config::Settings>& settings) {
  // The reason was reported when the settings were read.
  if (!settings.ok()) return settings.error().kind == ErrorKind::kUnsupported ? PlainDriver() : nullptr;
  const auto found = DriverBelow(settings, Process::Get().render_losses());
  if (found.ok()) return *found;
  Process::Get().stats().StepAside(found.error().message, LogLevel::kError);
  return nullptr;
}

// An instance that Tandem cannot serve is refused, so that the loader goes on with its other drivers.
VkResult CreateInstanceOn(const system::RenderDriver& below, const VkInstanceCreateInfo& create_info,
                          const VkAllocationCallbacks* allocator, VkInstance* instance) {
  const auto known = ExtensionsOf(below);
  std::vector<const char*> names;
  for (const char* name : std::span(create_info.ppEnabledExtensionNames, create_info.enabledExtensionCount)) {
    if (Contains(known, name)) names.push_back(name);
  }
  VkInstanceCreateInfo passed = create_info;
  passed.enabledExtensionCount = static_cast<std::uint32_t>(names.size());
  passed.ppEnabledExtensionNames = names.data();
  const InstanceBelow under{below.get_instance_proc_addr, &OfDriver};
  const VkResult result = CreateInstanceOver(under, create_info, passed, allocator, instance);
  if (result != VK_SUCCESS) return result;
  if (!Process::Get().settings().ok() || FindInstance(DispatchKey(*instance))->system != nullptr) return VK_SUCCESS;
  DestroyInstance(*instance, allocator);
  return VK_ERROR_INCOMPATIBLE_DRIVER;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDriverInstance(const VkInstanceCreateInfo* create_info,
                                                    const VkAllocationCallbacks* allocator, VkInstance* instance) {
  return Guarded([&]() -> VkResult {
    Process::NameApplication(create_info->pApplicationInfo);
    const system::RenderLosses& losses = Process::Get().render_losses();
    for (;;) {
      const std::size_t gone = losses.gone();
      const system::RenderDriver* const below = DriverFor(Process::Get().settings());
      if (below == nullptr) return VK_ERROR_INCOMPATIBLE_DRIVER;
      const VkResult result = CreateInstanceOn(*below, *create_info, allocator, instance);
      // The adapter of a driver may turn out to be gone on the way; another driver is taken then.
      if (gone == losses.gone()) return result;
      if (result == VK_SUCCESS) DestroyInstance(*instance, allocator);
    }
  });
}

// An instance of the driver in Tandem's place, whose functions are all that driver's; null: another one.
std::shared_ptr<Instance> FindPlain(VkInstance handle) {
  auto instance = handle == VK_NULL_HANDLE ? nullptr : FindInstance(DispatchKey(handle));
  return instance != nullptr && instance->system == nullptr ? instance : nullptr;
}

}  // namespace
}  // namespace tandem::layer

extern "C" {

VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char* name);

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
  if (version == nullptr || *version < tandem::layer::kOldestInterface) return VK_ERROR_INCOMPATIBLE_DRIVER;
  *version = std::min(*version, tandem::layer::kNewestInterface);
  return VK_SUCCESS;
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
  using namespace tandem::layer;
  if (FindPlain(instance) != nullptr) {
    const auto lookup = PlainDriver()->get_physical_device_proc_addr;
    return lookup == nullptr ? nullptr : lookup(instance, name);
  }
  if (std::strncmp(name, "vkGetPhysicalDevice", std::strlen("vkGetPhysicalDevice")) == 0) {
    for (const auto lookup : {&SurfaceQueryFunction, &SurfaceCreationFunction, &TimeDomainQuery}) {
      if (const auto function = lookup(name)) return function;
    }
  }
  const auto* const below = DriverBelow();
  if (below == nullptr || below->get_physical_device_proc_addr == nullptr) return nullptr;
  return below->get_physical_device_proc_addr(instance, name) == nullptr ? nullptr : GetInstanceProcAddr(instance, name);
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                                                          const char* name) {
  using namespace tandem::layer;
  if (const auto plain = FindPlain(instance)) {
    if (std::strcmp(name, "vkDestroyInstance") == 0) return reinterpret_cast<PFN_vkVoidFunction>(&DestroyInstance);
    return plain->next.GetInstanceProcAddr(instance, name);
  }
#define TANDEM_NAMED(text, function) \
  if (std::strcmp(name, text) == 0) return reinterpret_cast<PFN_vkVoidFunction>(&function)
  TANDEM_NAMED("vkCreateInstance", CreateDriverInstance);
  TANDEM_NAMED("vkEnumerateInstanceExtensionProperties", EnumerateInstanceExtensionProperties);
  TANDEM_NAMED("vkEnumerateInstanceVersion", EnumerateInstanceVersion);
  TANDEM_NAMED("vkGetInstanceProcAddr", vk_icdGetInstanceProcAddr);
  TANDEM_NAMED("vk_icdGetInstanceProcAddr", vk_icdGetInstanceProcAddr);
  TANDEM_NAMED("vk_icdGetPhysicalDeviceProcAddr", vk_icdGetPhysicalDeviceProcAddr);
  TANDEM_NAMED("vk_icdNegotiateLoaderICDInterfaceVersion", vk_icdNegotiateLoaderICDInterfaceVersion);
#undef TANDEM_NAMED
  return instance == VK_NULL_HANDLE ? nullptr : GetInstanceProcAddr(instance, name);
}

}  // extern "C"
