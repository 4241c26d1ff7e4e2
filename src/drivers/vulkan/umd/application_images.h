// What the layer, which borrowed a VkDevice, needs from the user-mode half beyond the DDI tables: the VkImages behind resources,
// and the release of the application's semaphores. Devices and resources are the handles of d3d10umddi.h that the runtime got
// from this driver.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <vulkan/vulkan_core.h>

#include "base/result.h"

#include <d3d10umddi.h>

namespace tandem::vulkan {

// The properties of the next presentable resources that are created or opened on `device` (D3D10_DDI_BIND_PRESENT): the
// application's imageUsage, flags, view formats. Extent, format and tiling are the resource's. Copied; stays until set again.
// `info.pNext` may carry VkImageFormatListCreateInfo only.
void SetApplicationImageInfo(D3D10DDI_HDEVICE device, const VkImageCreateInfo& info);

// The VkImage behind a presentable resource; VK_NULL_HANDLE when there is none. Of an opened cross-adapter resource it is a
// linear image over the shared rows, made at the first call.
[[nodiscard]] VkImage ApplicationImage(D3D10DDI_HRESOURCE resource);
// Why the last ApplicationImage of a cross-adapter resource was none: one sentence, else empty.
[[nodiscard]] std::string ApplicationImageRefusal(D3D10DDI_HRESOURCE resource);

// For VkImageSwapchainCreateInfoKHR and VkBindImageMemorySwapchainInfoKHR: another image like ApplicationImage(resource), the
// caller's, and its binding to the same memory. There is an ApplicationImage.
[[nodiscard]] VkResult CreateAliasImage(D3D10DDI_HRESOURCE resource, const VkAllocationCallbacks* allocator, VkImage& alias);
[[nodiscard]] VkResult BindAliasImage(D3D10DDI_HRESOURCE resource, VkImage alias);

// Queues the wait for the application's rendering: one submission on `queue` that waits for `semaphores` (binary or timeline with
// `values`, 0 for binary) and marks the resource as rendered at a timeline value that its next present waits for. Never blocks.
// The caller must not hold the queue's lock. Errors: kDeviceLost, kOutOfMemory.
Result<void> ReleaseImage(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, VkQueue queue,
                          std::span<const VkSemaphore> semaphores, std::span<const std::uint64_t> values);

// True when the device has all copies out of the image that were presented: an acquire then depends on nothing that is still to
// be submitted. False: after these copies are complete it is true.
[[nodiscard]] bool CanAcquireImage(D3D10DDI_HRESOURCE resource);

// Gives the image back to the application: signals `semaphore` and `fence` (each may be null) as soon as the last copy out of the
// image that was submitted so far is complete on the GPU; see CanAcquireImage. Never blocks. Errors: kDeviceLost, kOutOfMemory.
Result<void> AcquireImage(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, VkSemaphore semaphore, VkFence fence);

}  // namespace tandem::vulkan
