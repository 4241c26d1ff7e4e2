#include "layer/image.h"

#include <cstring>

#include "layer/chain.h"
#include "layer/device.h"
#include "layer/guard.h"

namespace tandem::layer {
namespace {

VKAPI_ATTR VkResult VKAPI_CALL CreateImage(VkDevice handle, const VkImageCreateInfo* info, const VkAllocationCallbacks* allocator,
                                           VkImage* image) {
  const auto device = FindDevice(DispatchKey(handle));
  const auto* of = Find<VkImageSwapchainCreateInfoKHR>(info->pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR);
  const auto chain = of == nullptr ? nullptr : device->swapchains.Find(of->swapchain);
  if (chain == nullptr) return device->next.CreateImage(handle, info, allocator, image);
  return Guarded([&] { return chain->CreateAlias(allocator, *image); });
}

// Adjacent binds of foreign images are passed down together.
VKAPI_ATTR VkResult VKAPI_CALL BindImageMemory2(VkDevice handle, uint32_t count, const VkBindImageMemoryInfo* binds) {
  const auto device = FindDevice(DispatchKey(handle));
  return Guarded([&]() -> VkResult {
    VkResult result = VK_SUCCESS;
    const auto keep = [&result](VkResult one) { result = result == VK_SUCCESS ? one : result; };
    uint32_t first = 0;  // the first bind not yet done
    for (uint32_t i = 0; i < count; ++i) {
      const auto* to =
          Find<VkBindImageMemorySwapchainInfoKHR>(binds[i].pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
      const auto chain = to == nullptr ? nullptr : device->swapchains.Find(to->swapchain);
      if (chain == nullptr) continue;
      if (i > first) keep(device->next.BindImageMemory2(handle, i - first, binds + first));
      keep(chain->BindAlias(binds[i].image, to->imageIndex));
      first = i + 1;
    }
    if (count > first) keep(device->next.BindImageMemory2(handle, count - first, binds + first));
    return result;
  });
}

}  // namespace

PFN_vkVoidFunction ImageFunction(const char* name) {
  if (std::strcmp(name, "vkCreateImage") == 0) return reinterpret_cast<PFN_vkVoidFunction>(&CreateImage);
  const bool binds = std::strcmp(name, "vkBindImageMemory2") == 0 || std::strcmp(name, "vkBindImageMemory2KHR") == 0;
  return binds ? reinterpret_cast<PFN_vkVoidFunction>(&BindImageMemory2) : nullptr;
}

}  // namespace tandem::layer
