// Vulkan layers above a driver that is opened without the Vulkan loader: the named ones and no other of the process.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/icd/layer_bottom.h"
#include "drivers/vulkan/icd/layer_manifest.h"
#include "drivers/vulkan/icd/library.h"

namespace tandem::vulkan {

// Makes one instance and its devices. Must outlive them. The libraries of layers stay loaded for the process's lifetime.
class LayerChain {
 public:
  // The first layer is the nearest to this driver's caller. kIo for a library that cannot be loaded, kUnsupported for one that
  // is no layer.
  [[nodiscard]] static Result<std::unique_ptr<LayerChain>> Open(const IcdLibrary& driver, std::span<const LayerManifest> layers);
  LayerChain(const LayerChain&) = delete;
  LayerChain& operator=(const LayerChain&) = delete;

  // vkCreateInstance and vkCreateDevice of the first layer.
  [[nodiscard]] VkResult CreateInstance(VkInstanceCreateInfo info, VkInstance& out);
  [[nodiscard]] VkResult CreateDevice(VkInstance instance, VkPhysicalDevice physical, VkDeviceCreateInfo info,
                                      VkDevice& out) const;
  // Those of the first layer.
  [[nodiscard]] PFN_vkGetInstanceProcAddr get_instance_proc_addr() const { return elements_.front().get_instance; }
  [[nodiscard]] PFN_vkGetDeviceProcAddr get_device_proc_addr() const;

 private:
  struct Element {
    PFN_vkGetInstanceProcAddr get_instance = nullptr;
    PFN_vkGetDeviceProcAddr get_device = nullptr;  // null: the layer sees instances alone
    GetPhysicalDeviceProcAddr get_physical = nullptr;
  };

  LayerChain() = default;
  [[nodiscard]] static bool SeesDevices(const Element& element) { return element.get_device != nullptr; }
  [[nodiscard]] static Result<Element> OpenLayer(const LayerManifest& manifest);

  std::vector<Element> elements_;  // the layers, then the driver
  InstanceTable bottom_;
};

}  // namespace tandem::vulkan
