// The commands of VK_KHR_swapchain and related extensions on our swap chains; calls on foreign swap chains are passed down.
#include "layer/swapchain.h"

#include <cstring>

#include "layer/device.h"
#include "layer/extensions.h"
#include "layer/guard.h"
#include "layer/handle_memory.h"
#include "layer/present.h"
#include "layer/process.h"
#include "status/run_note.h"

namespace tandem::layer {
namespace {

VKAPI_ATTR VkResult VKAPI_CALL CreateSwapchainKHR(VkDevice handle, const VkSwapchainCreateInfoKHR* info,
                                                  const VkAllocationCallbacks* allocator, VkSwapchainKHR* created) {
  const auto device = FindDevice(DispatchKey(handle));
  auto surface = FindSurface(*device->instance, info->surface);
  if (surface == nullptr) {
    if (device->next.CreateSwapchainKHR == nullptr) return VK_ERROR_SURFACE_LOST_KHR;
    return device->next.CreateSwapchainKHR(handle, info, allocator, created);
  }
  return Guarded([&]() -> VkResult {
    status::NoteSwapChain();
    HandleMemory memory(allocator);
    if (memory.refused()) return VK_ERROR_OUT_OF_HOST_MEMORY;
    std::shared_ptr<Swapchain> made;
    const VkResult result = Swapchain::Create(*device, std::move(surface), *info, memory.address(), made);
    if (result != VK_SUCCESS) return result;
    *created = made->handle();
    device->swapchains.Insert(*created, std::move(made));
    memory.Keep();
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL DestroySwapchainKHR(VkDevice handle, VkSwapchainKHR target, const VkAllocationCallbacks* allocator) {
  if (target == VK_NULL_HANDLE || Process::Get().inert()) return;
  const CancellationOff off;
  const auto device = FindDevice(DispatchKey(handle));
  // Must precede the destruction: the next swap chain may get this handle.
  device->private_data.ForgetObject(reinterpret_cast<std::uint64_t>(target));
  if (auto removed = device->swapchains.Remove(target)) {
    void* const memory = removed->handle_memory();
    removed.reset();
    HandleMemory::Free(allocator, memory);
    return;
  }
  if (device->next.DestroySwapchainKHR != nullptr) device->next.DestroySwapchainKHR(handle, target, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL GetSwapchainImagesKHR(VkDevice handle, VkSwapchainKHR target, uint32_t* count, VkImage* images) {
  const auto device = FindDevice(DispatchKey(handle));
  const auto chain = device->swapchains.Find(target);
  if (chain == nullptr) return device->next.GetSwapchainImagesKHR(handle, target, count, images);
  return Answer(std::span<const VkImage>(chain->images()), count, images);
}

VKAPI_ATTR VkResult VKAPI_CALL AcquireNextImageKHR(VkDevice handle, VkSwapchainKHR target, uint64_t timeout,
                                                   VkSemaphore semaphore, VkFence fence, uint32_t* index) {
  const auto device = FindDevice(DispatchKey(handle));
  const auto chain = device->swapchains.Find(target);
  if (chain == nullptr) return device->next.AcquireNextImageKHR(handle, target, timeout, semaphore, fence, index);
  return Guarded([&] { return chain->Acquire(timeout, semaphore, fence, *index); });
}

// The device mask can name only the group's one physical device.
VKAPI_ATTR VkResult VKAPI_CALL AcquireNextImage2KHR(VkDevice handle, const VkAcquireNextImageInfoKHR* info, uint32_t* index) {
  const auto device = FindDevice(DispatchKey(handle));
  const auto chain = device->swapchains.Find(info->swapchain);
  if (chain == nullptr) return device->next.AcquireNextImage2KHR(handle, info, index);
  return Guarded([&] { return chain->Acquire(info->timeout, info->semaphore, info->fence, *index); });
}

VKAPI_ATTR VkResult VKAPI_CALL QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR* info) {
  const auto device = FindDevice(DispatchKey(queue));
  if (info->swapchainCount == 0 || device->swapchains.Find(info->pSwapchains[0]) == nullptr) {
    return device->next.QueuePresentKHR(queue, info);
  }
  return Guarded([&] { return PresentAll(*device, queue, *info); });
}

VKAPI_ATTR VkResult VKAPI_CALL WaitForPresentKHR(VkDevice handle, VkSwapchainKHR target, uint64_t present_id, uint64_t timeout) {
  const auto device = FindDevice(DispatchKey(handle));
  const auto chain = device->swapchains.Find(target);
  if (chain == nullptr) return device->next.WaitForPresentKHR(handle, target, present_id, timeout);
  return Guarded([&] { return chain->WaitForPresent(present_id, timeout); });
}

VKAPI_ATTR VkResult VKAPI_CALL WaitForPresent2KHR(VkDevice handle, VkSwapchainKHR target, const VkPresentWait2InfoKHR* info) {
  const auto device = FindDevice(DispatchKey(handle));
  const auto chain = device->swapchains.Find(target);
  if (chain == nullptr) return device->next.WaitForPresent2KHR(handle, target, info);
  return Guarded([&] { return chain->WaitForPresent(info->presentId, info->timeout); });
}

// `below`: the command for a foreign swap chain.
VKAPI_ATTR VkResult VKAPI_CALL ReleaseSwapchainImagesEXT(VkDevice handle, const VkReleaseSwapchainImagesInfoEXT* info) {
  const auto device = FindDevice(DispatchKey(handle));
  const auto chain = device->swapchains.Find(info->swapchain);
  if (chain == nullptr) return device->next.ReleaseSwapchainImagesEXT(handle, info);
  return Guarded([&]() -> VkResult {
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < info->imageIndexCount; ++i) {
      const VkResult released = chain->Release(info->pImageIndices[i]);
      if (result == VK_SUCCESS) result = released;
    }
    return result;
  });
}

VKAPI_ATTR VkResult VKAPI_CALL GetDeviceGroupPresentCapabilitiesKHR(VkDevice /*handle*/,
                                                                    VkDeviceGroupPresentCapabilitiesKHR* capabilities) {
  std::memset(capabilities->presentMask, 0, sizeof(capabilities->presentMask));
  capabilities->presentMask[0] = 1;
  capabilities->modes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetDeviceGroupSurfacePresentModesKHR(VkDevice handle, VkSurfaceKHR surface,
                                                                    VkDeviceGroupPresentModeFlagsKHR* modes) {
  const auto device = FindDevice(DispatchKey(handle));
  if (FindSurface(*device->instance, surface) == nullptr) {
    return device->next.GetDeviceGroupSurfacePresentModesKHR(handle, surface, modes);
  }
  *modes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
  return VK_SUCCESS;
}

}  // namespace

PFN_vkVoidFunction SwapchainFunction(const char* name) {
#define TANDEM_NAMED(function) \
  if (std::strcmp(name, "vk" #function) == 0) return reinterpret_cast<PFN_vkVoidFunction>(&function)
  TANDEM_NAMED(AcquireNextImageKHR);
  TANDEM_NAMED(QueuePresentKHR);
  TANDEM_NAMED(CreateSwapchainKHR);
  TANDEM_NAMED(DestroySwapchainKHR);
  TANDEM_NAMED(GetSwapchainImagesKHR);
  TANDEM_NAMED(AcquireNextImage2KHR);
  TANDEM_NAMED(WaitForPresentKHR);
  TANDEM_NAMED(WaitForPresent2KHR);
  TANDEM_NAMED(ReleaseSwapchainImagesEXT);
  TANDEM_NAMED(GetDeviceGroupPresentCapabilitiesKHR);
  TANDEM_NAMED(GetDeviceGroupSurfacePresentModesKHR);
#undef TANDEM_NAMED
  return nullptr;
}

}  // namespace tandem::layer
