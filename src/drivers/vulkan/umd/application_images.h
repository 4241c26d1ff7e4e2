// The layer's functions of the user-mode half beyond the DDI tables: the VkImages of resources, and the release of the
// application's semaphores. The layer borrowed the VkDevice. Devices and resources are the handles of d3d10umddi.h that the
// runtime got from this driver.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <vulkan/vulkan_core.h>

#include "base/result.h"

#include <d3d10umddi.h>

namespace tandem::vulkan {

// Sets the properties of the next presentable resources that are created or opened on `device` (D3D10_DDI_BIND_PRESENT): the
// application's imageUsage, flags and view formats. Extent, format and tiling are the resource's. The properties are copied and
// stay until the next call. `info.pNext` may carry VkImageFormatListCreateInfo only.
void SetApplicationImageInfo(D3D10DDI_HDEVICE device, const VkImageCreateInfo& info);

// The VkImage of a presentable resource; VK_NULL_HANDLE when there is none. For an opened cross-adapter resource it is a linear
// image over the shared rows, made at the first call.
[[nodiscard]] VkImage ApplicationImage(D3D10DDI_HRESOURCE resource);
// One sentence: why the last ApplicationImage of a cross-adapter resource returned none; empty if it returned an image.
[[nodiscard]] std::string ApplicationImageRefusal(D3D10DDI_HRESOURCE resource);

// For VkImageSwapchainCreateInfoKHR and VkBindImageMemorySwapchainInfoKHR. CreateAliasImage() makes an image like
// ApplicationImage(resource), which the caller owns; BindAliasImage() binds it to the same memory. Precondition:
// ApplicationImage(resource) is not null.
[[nodiscard]] VkResult CreateAliasImage(D3D10DDI_HRESOURCE resource, const VkAllocationCallbacks* allocator, VkImage& alias);
[[nodiscard]] VkResult BindAliasImage(D3D10DDI_HRESOURCE resource, VkImage alias);

// Queues the wait for the application's rendering. One submission on `queue` waits for `semaphores` (binary, or timeline with
// `values`; 0 for binary). It signals a timeline value that the resource's next present waits for. Never blocks. The caller
// must not hold the queue's lock. Errors: kDeviceLost, kOutOfMemory.
Result<void> ReleaseImage(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, VkQueue queue,
                          std::span<const VkSemaphore> semaphores, std::span<const std::uint64_t> values);

// True when all presented copies out of the image were submitted to the device: an acquire then depends on no future
// submission. If false, it becomes true once these copies are complete.
[[nodiscard]] bool CanAcquireImage(D3D10DDI_HRESOURCE resource);

// Returns the image to the application. Signals `semaphore` and `fence` (each may be null) once the last submitted copy out of
// the image is complete on the GPU. See CanAcquireImage. Never blocks. Errors: kDeviceLost, kOutOfMemory.
Result<void> AcquireImage(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, VkSemaphore semaphore, VkFence fence);

}  // namespace tandem::vulkan
