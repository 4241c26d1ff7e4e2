#include "drivers/vulkan/icd/layer_chain.h"

#include <dlfcn.h>

#include <algorithm>
#include <iterator>

#include <vulkan/vk_layer.h>

namespace tandem::vulkan {
namespace {

template <class Pfn>
Pfn Symbol(void* library, const std::string& name) {
  return reinterpret_cast<Pfn>(dlsym(library, name.c_str()));
}

}  // namespace

Result<LayerChain::Element> LayerChain::OpenLayer(const LayerManifest& manifest) {
  void* const library = dlopen(manifest.library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* const reason = dlerror();
    return Fail(ErrorKind::kIo, "Vulkan layer {} cannot be loaded: {}.", manifest.name,
                reason == nullptr ? "no reason given" : reason);
  }
  VkNegotiateLayerInterface answer{};
  answer.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT;
  answer.loaderLayerInterfaceVersion = CURRENT_LOADER_LAYER_INTERFACE_VERSION;
  const auto negotiate = Symbol<PFN_vkNegotiateLoaderLayerInterfaceVersion>(library, manifest.negotiate);
  Element layer;
  if (negotiate != nullptr && negotiate(&answer) == VK_SUCCESS) {
    layer = {answer.pfnGetInstanceProcAddr, answer.pfnGetDeviceProcAddr, answer.pfnGetPhysicalDeviceProcAddr};
  }
  if (layer.get_instance == nullptr) {
    layer.get_instance = Symbol<PFN_vkGetInstanceProcAddr>(library, manifest.get_instance_proc_addr);
    layer.get_device = Symbol<PFN_vkGetDeviceProcAddr>(library, manifest.get_device_proc_addr);
  }
  if (layer.get_instance == nullptr) {
    return Fail(ErrorKind::kUnsupported, "Vulkan layer {} has no function {}.", manifest.name, manifest.get_instance_proc_addr);
  }
  if (layer.get_physical == nullptr) layer.get_physical = &BottomGetPhysicalDeviceProcAddr;
  return layer;
}

Result<std::unique_ptr<LayerChain>> LayerChain::Open(const IcdLibrary& driver, std::span<const LayerManifest> layers) {
  std::unique_ptr<LayerChain> self(new LayerChain());
  self->bottom_.get = driver.get_instance_proc_addr();
  self->bottom_.get_physical = driver.get_physical_device_proc_addr();
  self->bottom_.create = reinterpret_cast<PFN_vkCreateInstance>(self->bottom_.get(nullptr, "vkCreateInstance"));
  for (const LayerManifest& manifest : layers) {
    auto layer = OpenLayer(manifest);
    if (!layer.ok()) return std::move(layer).error();
    self->elements_.push_back(*layer);
  }
  self->elements_.push_back({&BottomGetInstanceProcAddr, &BottomGetDeviceProcAddr, &BottomGetPhysicalDeviceProcAddr});
  return self;
}

VkResult LayerChain::CreateInstance(VkInstanceCreateInfo info, VkInstance& out) {
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(get_instance_proc_addr()(nullptr, "vkCreateInstance"));
  if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  // A layer takes its own link off the list, so each one finds the next functions in front.
  std::vector<VkLayerInstanceLink> links(elements_.size() - 1);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Element& next = elements_[i + 1];
    links[i] = {i + 1 == links.size() ? nullptr : &links[i + 1], next.get_instance, next.get_physical};
  }
  VkLayerInstanceCreateInfo callback{};
  callback.sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO;
  callback.pNext = info.pNext;
  callback.function = VK_LOADER_DATA_CALLBACK;
  callback.u.pfnSetInstanceLoaderData = &SetInstanceLoaderData;
  VkLayerInstanceCreateInfo link = callback;
  link.pNext = &callback;
  link.function = VK_LAYER_LINK_INFO;
  link.u.pLayerInfo = links.data();
  info.pNext = &link;
  const CreatingInstance creating(bottom_);
  return create(&info, nullptr, &out);
}

VkResult LayerChain::CreateDevice(VkInstance instance, VkPhysicalDevice physical, VkDeviceCreateInfo info, VkDevice& out) const {
  const auto create = reinterpret_cast<PFN_vkCreateDevice>(get_instance_proc_addr()(instance, "vkCreateDevice"));
  if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  std::vector<Element> chain;
  std::ranges::copy_if(elements_, std::back_inserter(chain), SeesDevices);
  std::vector<VkLayerDeviceLink> links(chain.size() - 1);
  for (std::size_t i = 0; i < links.size(); ++i) {
    links[i] = {i + 1 == links.size() ? nullptr : &links[i + 1], chain[i + 1].get_instance, chain[i + 1].get_device};
  }
  VkLayerDeviceCreateInfo callback{};
  callback.sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO;
  callback.pNext = info.pNext;
  callback.function = VK_LOADER_DATA_CALLBACK;
  callback.u.pfnSetDeviceLoaderData = &SetDeviceLoaderData;
  VkLayerDeviceCreateInfo link = callback;
  link.pNext = &callback;
  link.function = VK_LAYER_LINK_INFO;
  link.u.pLayerInfo = links.data();
  if (!links.empty()) info.pNext = &link;
  return create(physical, &info, nullptr, &out);
}

PFN_vkGetDeviceProcAddr LayerChain::get_device_proc_addr() const {
  return std::ranges::find_if(elements_, SeesDevices)->get_device;
}

}  // namespace tandem::vulkan
