// The Vulkan functions that this driver calls, of one instance and device. No function of the Vulkan loader is ever linked.
#pragma once

#include <string>

#include <vulkan/vulkan_core.h>

#include "base/result.h"

namespace tandem::vulkan {

// Must be there: Vulkan 1.1's, or those of the extensions that became it. Without vkGetDeviceProcAddr: who hands a device over
// brings it, and below a loader's layers the instance may not have it.
#define TANDEM_VK_INSTANCE_FUNCTIONS(X)      \
  X(DestroyInstance)                         \
  X(EnumeratePhysicalDevices)                \
  X(EnumerateDeviceExtensionProperties)      \
  X(GetPhysicalDeviceProperties2)            \
  X(GetPhysicalDeviceFeatures2)              \
  X(GetPhysicalDeviceMemoryProperties)       \
  X(GetPhysicalDeviceQueueFamilyProperties)  \
  X(GetPhysicalDeviceFormatProperties)       \
  X(GetPhysicalDeviceImageFormatProperties2) \
  X(CreateDevice)

// Null where the instance lacks the extension.
#define TANDEM_VK_SURFACE_FUNCTIONS(X)       \
  X(DestroySurfaceKHR)                       \
  X(GetPhysicalDeviceSurfaceSupportKHR)      \
  X(GetPhysicalDeviceSurfaceCapabilitiesKHR) \
  X(GetPhysicalDeviceSurfaceFormatsKHR)      \
  X(GetPhysicalDeviceSurfacePresentModesKHR)

// Must be there: Vulkan 1.0's and timeline semaphores.
#define TANDEM_VK_DEVICE_FUNCTIONS(X) \
  X(DestroyDevice)                    \
  X(GetDeviceQueue)                   \
  X(DeviceWaitIdle)                   \
  X(QueueSubmit)                      \
  X(QueueWaitIdle)                    \
  X(AllocateMemory)                   \
  X(FreeMemory)                       \
  X(MapMemory)                        \
  X(UnmapMemory)                      \
  X(BindBufferMemory)                 \
  X(BindImageMemory)                  \
  X(GetBufferMemoryRequirements)      \
  X(GetImageMemoryRequirements)       \
  X(GetImageSubresourceLayout)        \
  X(CreateBuffer)                     \
  X(DestroyBuffer)                    \
  X(CreateImage)                      \
  X(DestroyImage)                     \
  X(CreateSemaphore)                  \
  X(DestroySemaphore)                 \
  X(CreateCommandPool)                \
  X(DestroyCommandPool)               \
  X(AllocateCommandBuffers)           \
  X(FreeCommandBuffers)               \
  X(BeginCommandBuffer)               \
  X(EndCommandBuffer)                 \
  X(CmdPipelineBarrier)               \
  X(CmdCopyBuffer)                    \
  X(CmdCopyImage)                     \
  X(CmdCopyBufferToImage)             \
  X(CmdCopyImageToBuffer)             \
  X(CmdBlitImage)                     \
  X(CmdFillBuffer)                    \
  X(CmdClearColorImage)               \
  X(CreateShaderModule)               \
  X(DestroyShaderModule)              \
  X(CreateDescriptorSetLayout)        \
  X(DestroyDescriptorSetLayout)       \
  X(CreatePipelineLayout)             \
  X(DestroyPipelineLayout)            \
  X(CreateComputePipelines)           \
  X(DestroyPipeline)                  \
  X(CreateDescriptorPool)             \
  X(DestroyDescriptorPool)            \
  X(AllocateDescriptorSets)           \
  X(UpdateDescriptorSets)             \
  X(CmdBindPipeline)                  \
  X(CmdBindDescriptorSets)            \
  X(CmdDispatch)                      \
  X(CmdDispatchBase)                  \
  X(CmdPushConstants)                 \
  X(CreateQueryPool)                  \
  X(DestroyQueryPool)                 \
  X(CmdResetQueryPool)                \
  X(CmdWriteTimestamp)                \
  X(GetQueryPoolResults)              \
  X(SignalSemaphore)                  \
  X(WaitSemaphores)                   \
  X(GetSemaphoreCounterValue)

// Null where the device lacks the extension.
#define TANDEM_VK_EXTENSION_FUNCTIONS(X) \
  X(GetMemoryHostPointerPropertiesEXT)   \
  X(CreateSwapchainKHR)                  \
  X(DestroySwapchainKHR)                 \
  X(GetSwapchainImagesKHR)               \
  X(AcquireNextImageKHR)                 \
  X(QueuePresentKHR)

struct Dispatch {
#define TANDEM_VK_MEMBER(name) PFN_vk##name name = nullptr;
  TANDEM_VK_INSTANCE_FUNCTIONS(TANDEM_VK_MEMBER)
  TANDEM_VK_SURFACE_FUNCTIONS(TANDEM_VK_MEMBER)
  TANDEM_VK_DEVICE_FUNCTIONS(TANDEM_VK_MEMBER)
  TANDEM_VK_EXTENSION_FUNCTIONS(TANDEM_VK_MEMBER)
#undef TANDEM_VK_MEMBER

  // kUnsupported names the first function that is missing.
  Result<void> LoadInstance(VkInstance instance, PFN_vkGetInstanceProcAddr get_instance_proc_addr);
  Result<void> LoadDevice(VkDevice device, PFN_vkGetDeviceProcAddr get_device_proc_addr);
};

// "VK_ERROR_DEVICE_LOST" and so on for the results that this driver's calls can have, the number for others.
[[nodiscard]] std::string ToString(VkResult result);
// kOutOfMemory, kOutOfVideoMemory or kDeviceLost where the result says so, else `other`.
[[nodiscard]] ErrorKind ToErrorKind(VkResult result, ErrorKind other);

}  // namespace tandem::vulkan
