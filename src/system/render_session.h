// The application's VkDevice as an adapter of the kernel, with the VkImages of its swap chains' resources.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/vulkan_device.h"
#include "swapchain/runtime_device.h"
#include "system/renders.h"

#include <d3d10umddi.h>

namespace tandem::system {

// The layer fills these types without naming a driver.
using BorrowedDevice = vulkan::BorrowedDevice;
using QueueLocks = vulkan::QueueLocks;
using vulkan::CrossingExtensions;
using vulkan::CrossingOf;
using vulkan::kCrossingExtensionNames;

// Destruction removes the adapter; its swap chains must be gone. Thread-safe except for construction.
class RenderSession {
 public:
  // `description` is the kernel's description of `adapter`, which `renders` knows. `renders` must outlive the session.
  RenderSession(Renders& renders, std::unique_ptr<vulkan::DeviceDescription> description, LUID adapter);
  ~RenderSession();
  RenderSession(const RenderSession&) = delete;
  RenderSession& operator=(const RenderSession&) = delete;

  // `bounce_reason` says why the processor makes the copies; empty if it does not. Errors: those of RuntimeDevice::Create().
  Result<void> Open(const std::string& name, const std::string& bounce_reason, const ImportAbilities& imports);
  [[nodiscard]] swapchain::RuntimeDevice& render() { return *device_; }
  // The memory that the device exports.
  [[nodiscard]] std::shared_ptr<DmaBufSource> dma_bufs() const;

  // Properties of the next presentable resources: usage, flags, view formats. `info.pNext` may carry VkImageFormatListCreateInfo
  // only.
  void SetImageInfo(const VkImageCreateInfo& info);
  // VK_NULL_HANDLE when the resource has no image; WhyNoImage() then returns a sentence, or nothing.
  [[nodiscard]] static VkImage Image(D3D10DDI_HRESOURCE resource);
  [[nodiscard]] static std::string WhyNoImage(D3D10DDI_HRESOURCE resource);
  // For VkImageSwapchainCreateInfoKHR and VkBindImageMemorySwapchainInfoKHR. CreateAlias() makes an image like Image(resource),
  // which the caller owns; BindAlias() binds it to the same memory. Precondition: Image(resource) is not null.
  [[nodiscard]] static VkResult CreateAlias(D3D10DDI_HRESOURCE resource, const VkAllocationCallbacks* allocator, VkImage& alias);
  [[nodiscard]] static VkResult BindAlias(D3D10DDI_HRESOURCE resource, VkImage alias);

  // Releases the image from the application. One submission on `queue` waits for its binary `semaphores`, at most
  // kMaxWaitSemaphores; the next present waits for that submission. Never blocks. Errors: kDeviceLost, kOutOfMemory.
  Result<void> ReleaseImage(D3D10DDI_HRESOURCE resource, VkQueue queue, std::span<const VkSemaphore> semaphores);
  // True when every copy out of the presented image was submitted to the device. AcquireImage() then depends on no future
  // submission.
  [[nodiscard]] static bool CanAcquireImage(D3D10DDI_HRESOURCE resource);
  // Returns the image to the application: signals `semaphore` and `fence` (each may be null) when the last copy out of it is
  // complete. Never blocks. Errors: kDeviceLost, kOutOfMemory.
  Result<void> AcquireImage(D3D10DDI_HRESOURCE resource, VkSemaphore semaphore, VkFence fence);

 private:
  Renders& renders_;
  const std::unique_ptr<vulkan::DeviceDescription> description_;
  const LUID adapter_;
  std::unique_ptr<swapchain::RuntimeDevice> device_;
};

}  // namespace tandem::system
