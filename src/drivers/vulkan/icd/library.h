// A Vulkan driver's shared library, opened without the Vulkan loader. Inside programs this driver runs below our own layer; the
// loader would insert that layer and all others again.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/icd/dispatch.h"

namespace tandem::vulkan {

// Loader-ICD interface versions of the loader's documentation. From 3 on, drivers create their own surfaces; 5 is the newest
// version without requirements for us.
inline constexpr std::uint32_t kMinIcdInterface = 3;
inline constexpr std::uint32_t kMaxIcdInterface = 5;

// vk_icdGetPhysicalDeviceProcAddr: finds commands on physical devices that the loader does not know.
using GetPhysicalDeviceProcAddr = PFN_vkVoidFunction(VKAPI_PTR*)(VkInstance instance, const char* name);

// The library stays loaded for the process's lifetime, because drivers leave threads and thread-local data behind.
class IcdLibrary {
 public:
  // kIo when the library cannot be loaded, kUnsupported when it is no driver of a supported interface.
  [[nodiscard]] static Result<IcdLibrary> Open(const std::string& path);

  [[nodiscard]] PFN_vkGetInstanceProcAddr get_instance_proc_addr() const { return get_instance_proc_addr_; }
  // Null if the driver has none, as below interface 4.
  [[nodiscard]] GetPhysicalDeviceProcAddr get_physical_device_proc_addr() const { return get_physical_device_proc_addr_; }
  [[nodiscard]] std::uint32_t interface_version() const { return interface_version_; }

 private:
  IcdLibrary(PFN_vkGetInstanceProcAddr instance_function, GetPhysicalDeviceProcAddr physical_device_function,
             std::uint32_t version)
      : get_instance_proc_addr_(instance_function),
        get_physical_device_proc_addr_(physical_device_function),
        interface_version_(version) {}

  PFN_vkGetInstanceProcAddr get_instance_proc_addr_;
  GetPhysicalDeviceProcAddr get_physical_device_proc_addr_;
  std::uint32_t interface_version_;
};

// Window-system instance extensions that this driver uses.
struct SurfaceSupport {
  bool xcb = false;
  bool wayland = false;
  bool headless = false;
};

class LayerChain;  // drivers/vulkan/icd/layer_chain.h

// An instance with every surface extension that both the driver and this driver support, and those that tell the devices of
// Vulkan 1.0 apart. The destructor destroys it.
class IcdInstance {
 public:
  // `layers`: names of Vulkan layers above the driver, the first nearest to the caller (FindLayers).
  // kUnsupported for a library that makes no instances or lacks a function; kInternal with the VkResult; errors of FindLayers
  // and of LayerChain::Open.
  [[nodiscard]] static Result<std::unique_ptr<IcdInstance>> Create(const IcdLibrary& library,
                                                                   std::span<const std::string> layers = {});
  ~IcdInstance();
  IcdInstance(const IcdInstance&) = delete;
  IcdInstance& operator=(const IcdInstance&) = delete;

  [[nodiscard]] VkInstance handle() const { return instance_; }
  [[nodiscard]] const Dispatch& vk() const { return vk_; }
  [[nodiscard]] PFN_vkGetInstanceProcAddr get_instance_proc_addr() const { return get_instance_proc_addr_; }
  [[nodiscard]] const SurfaceSupport& surfaces() const { return surfaces_; }
  [[nodiscard]] bool layered() const { return layers_ != nullptr; }
  [[nodiscard]] std::vector<VkPhysicalDevice> PhysicalDevices() const;
  // vkCreateDevice, and the devices' vkGetDeviceProcAddr; null if the driver has none.
  [[nodiscard]] VkResult CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo& info, VkDevice& out) const;
  [[nodiscard]] PFN_vkGetDeviceProcAddr get_device_proc_addr() const;

 private:
  IcdInstance();

  std::unique_ptr<LayerChain> layers_;  // null: none
  VkInstance instance_ = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr_ = nullptr;
  Dispatch vk_;
  SurfaceSupport surfaces_;
};

}  // namespace tandem::vulkan
