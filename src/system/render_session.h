// The application's VkDevice as an adapter of the kernel, and the VkImages behind the resources of its swap chains.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/vulkan_device.h"
#include "swapchain/runtime_device.h"
#include "system/graphics.h"

#include <d3d10umddi.h>

namespace tandem::system {

// The layer fills these; it names no driver.
using BorrowedDevice = vulkan::BorrowedDevice;
using QueueLocks = vulkan::QueueLocks;

// Destroying it removes the adapter; swap chains on it must be gone. Thread-safe but for construction.
class RenderSession {
 public:
  // `description` is what the kernel was given for `adapter`. `graphics` outlives the session.
  RenderSession(Graphics& graphics, std::unique_ptr<vulkan::DeviceDescription> description, LUID adapter);
  ~RenderSession();
  RenderSession(const RenderSession&) = delete;
  RenderSession& operator=(const RenderSession&) = delete;

  // `bounce_reason` says why copies go through the processor; empty when they do not. Errors: those of RuntimeDevice::Create().
  Result<void> Open(const std::string& name, const std::string& bounce_reason, const ImportAbilities& imports);
  [[nodiscard]] swapchain::RuntimeDevice& render() { return *device_; }

  // Properties of the next presentable resources: usage, flags, view formats. `info.pNext` may carry VkImageFormatListCreateInfo
  // only.
  void SetImageInfo(const VkImageCreateInfo& info);
  // VK_NULL_HANDLE when there is none; then WhyNoImage() has a sentence, which may be empty.
  [[nodiscard]] static VkImage Image(D3D10DDI_HRESOURCE resource);
  [[nodiscard]] static std::string WhyNoImage(D3D10DDI_HRESOURCE resource);
  // For VkImageSwapchainCreateInfoKHR and VkBindImageMemorySwapchainInfoKHR: an image like Image(resource), the caller's, and its
  // binding to the same memory. Precondition: there is an Image(resource).
  [[nodiscard]] static VkResult CreateAlias(D3D10DDI_HRESOURCE resource, const VkAllocationCallbacks* allocator, VkImage& alias);
  [[nodiscard]] static VkResult BindAlias(D3D10DDI_HRESOURCE resource, VkImage alias);

  // Takes the image from the application: one submission on `queue` waits for its binary `semaphores`, and the next present waits
  // for that. At most kMaxWaitSemaphores. Never blocks. Errors: kDeviceLost, kOutOfMemory.
  Result<void> ReleaseImage(D3D10DDI_HRESOURCE resource, VkQueue queue, std::span<const VkSemaphore> semaphores);
  // True when the device has every copy out of the image that was presented. AcquireImage() then depends on nothing that is still
  // to be submitted.
  [[nodiscard]] static bool CanAcquireImage(D3D10DDI_HRESOURCE resource);
  // Gives the image to the application: signals `semaphore` and `fence` (each may be null) when the last copy out of it is
  // complete. Never blocks. Errors: kDeviceLost, kOutOfMemory.
  Result<void> AcquireImage(D3D10DDI_HRESOURCE resource, VkSemaphore semaphore, VkFence fence);

 private:
  Graphics& graphics_;
  const std::unique_ptr<vulkan::DeviceDescription> description_;
  const LUID adapter_;
  std::unique_ptr<swapchain::RuntimeDevice> device_;
};

}  // namespace tandem::system
