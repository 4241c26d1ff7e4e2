#include "layer/loader_chain.h"

#include <vulkan/vk_layer.h>

#include "layer/instance.h"

namespace tandem::layer {
namespace {

// The loader's structure of this function in the chain; null if there is none. A layer must advance its list.
template <class LoaderInfo>
LoaderInfo* FindLink(const void* chain, VkStructureType type, VkLayerFunction function) {
  for (const auto* item = static_cast<const VkBaseInStructure*>(chain); item != nullptr; item = item->pNext) {
    if (item->sType != type) continue;
    auto* const link = reinterpret_cast<LoaderInfo*>(const_cast<VkBaseInStructure*>(item));
    if (link->function == function) return link;
  }
  return nullptr;
}

DeviceBelow NextInChain(const Instance& /*instance*/, const VkDeviceCreateInfo& create_info) {
  constexpr VkStructureType kType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO;
  auto* const link = FindLink<VkLayerDeviceCreateInfo>(create_info.pNext, kType, VK_LAYER_LINK_INFO);
  if (link == nullptr) return {};
  DeviceBelow below{link->u.pLayerInfo->pfnNextGetInstanceProcAddr, link->u.pLayerInfo->pfnNextGetDeviceProcAddr, nullptr};
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto* const callback = FindLink<VkLayerDeviceCreateInfo>(create_info.pNext, kType, VK_LOADER_DATA_CALLBACK);
  if (callback != nullptr) below.set_loader_data = callback->u.pfnSetDeviceLoaderData;
  return below;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* create_info, const VkAllocationCallbacks* allocator,
                                              VkInstance* instance) {
  auto* const link =
      FindLink<VkLayerInstanceCreateInfo>(create_info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, VK_LAYER_LINK_INFO);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const InstanceBelow below{link->u.pLayerInfo->pfnNextGetInstanceProcAddr, &NextInChain};
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  return CreateInstanceOver(below, *create_info, *create_info, allocator, instance);
}

}  // namespace tandem::layer
