// The Vulkan functions that this driver calls, for one instance and device. The driver never links the Vulkan loader.
#pragma once

#include <string>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/icd/host_image_copy.h"

namespace tandem::vulkan {

// Devices below this version copy and present. Others may import memory, run this driver's shaders (SPIR-V 1.3) and have timeline
// semaphores.
inline constexpr std::uint32_t kWholeVersion = VK_API_VERSION_1_1;

// Required functions, all of Vulkan 1.0. vkGetDeviceProcAddr is not among them. The owner of a borrowed device supplies it, and
// an instance below a loader's layers may lack it.
#define TANDEM_VK_INSTANCE_FUNCTIONS(X)     \
  X(DestroyInstance)                        \
  X(EnumeratePhysicalDevices)               \
  X(EnumerateDeviceExtensionProperties)     \
  X(GetPhysicalDeviceProperties)            \
  X(GetPhysicalDeviceMemoryProperties)      \
  X(GetPhysicalDeviceQueueFamilyProperties) \
  X(GetPhysicalDeviceFormatProperties)      \
  X(GetPhysicalDeviceImageFormatProperties) \
  X(CreateDevice)

// Null below Vulkan 1.1 without VK_KHR_get_physical_device_properties2.
#define TANDEM_VK_QUERY_FUNCTIONS(X)              \
  X(GetPhysicalDeviceProperties2)                 \
  X(GetPhysicalDeviceFeatures2)                   \
  X(GetPhysicalDeviceExternalBufferProperties)    \
  X(GetPhysicalDeviceExternalSemaphoreProperties) \
  X(GetPhysicalDeviceImageFormatProperties2)

// Null if the instance lacks the extension.
#define TANDEM_VK_SURFACE_FUNCTIONS(X)       \
  X(DestroySurfaceKHR)                       \
  X(GetPhysicalDeviceSurfaceSupportKHR)      \
  X(GetPhysicalDeviceSurfaceCapabilitiesKHR) \
  X(GetPhysicalDeviceSurfaceFormatsKHR)      \
  X(GetPhysicalDeviceSurfacePresentModesKHR)

// Required functions.
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
  X(CreateImageView)                  \
  X(DestroyImageView)                 \
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
  X(CmdPushConstants)                 \
  X(CreateQueryPool)                  \
  X(DestroyQueryPool)                 \
  X(CmdResetQueryPool)                \
  X(CmdWriteTimestamp)                \
  X(GetQueryPoolResults)              \
  X(CreateFence)                      \
  X(DestroyFence)                     \
  X(ResetFences)                      \
  X(GetFenceStatus)                   \
  X(WaitForFences)

// Null if the device lacks the extension, or the version of Vulkan.
#define TANDEM_VK_EXTENSION_FUNCTIONS(X)    \
  X(CmdDispatchBase)                        \
  X(SignalSemaphore)                        \
  X(WaitSemaphores)                         \
  X(GetSemaphoreCounterValue)               \
  X(GetMemoryHostPointerPropertiesEXT)      \
  X(CopyImageToMemoryEXT)                   \
  X(GetMemoryFdKHR)                         \
  X(GetMemoryFdPropertiesKHR)               \
  X(GetBufferMemoryRequirements2)           \
  X(GetImageMemoryRequirements2)            \
  X(GetImageDrmFormatModifierPropertiesEXT) \
  X(GetSemaphoreFdKHR)                      \
  X(ImportSemaphoreFdKHR)                   \
  X(CreateSwapchainKHR)                     \
  X(DestroySwapchainKHR)                    \
  X(GetSwapchainImagesKHR)                  \
  X(AcquireNextImageKHR)                    \
  X(QueuePresentKHR)

struct Dispatch {
#define TANDEM_VK_MEMBER(name) PFN_vk##name name = nullptr;
  TANDEM_VK_INSTANCE_FUNCTIONS(TANDEM_VK_MEMBER)
  TANDEM_VK_QUERY_FUNCTIONS(TANDEM_VK_MEMBER)
  TANDEM_VK_SURFACE_FUNCTIONS(TANDEM_VK_MEMBER)
  TANDEM_VK_DEVICE_FUNCTIONS(TANDEM_VK_MEMBER)
  TANDEM_VK_EXTENSION_FUNCTIONS(TANDEM_VK_MEMBER)
#undef TANDEM_VK_MEMBER

  // kUnsupported names the first missing function.
  Result<void> LoadInstance(VkInstance instance, PFN_vkGetInstanceProcAddr get_instance_proc_addr);
  Result<void> LoadDevice(VkDevice device, PFN_vkGetDeviceProcAddr get_device_proc_addr);

  // Properties of a device. `further`: structures for VkPhysicalDeviceProperties2, or null; a device of Vulkan 1.0 may leave
  // them as they are.
  [[nodiscard]] VkPhysicalDeviceProperties ReadProperties(VkPhysicalDevice device, void* further = nullptr) const;
  // vkGetPhysicalDeviceImageFormatProperties2. Without that function, questions with further structures answer
  // VK_ERROR_FORMAT_NOT_SUPPORTED.
  [[nodiscard]] VkResult ReadImageFormat(VkPhysicalDevice device, const VkPhysicalDeviceImageFormatInfo2& query,
                                         VkImageFormatProperties2& answer) const;
};

// For example "VK_ERROR_DEVICE_LOST", for the results of this driver's calls; the number for any other.
[[nodiscard]] std::string ToString(VkResult result);
// kOutOfMemory, kOutOfVideoMemory or kDeviceLost for the matching results, otherwise `other`.
[[nodiscard]] ErrorKind ToErrorKind(VkResult result, ErrorKind other);

}  // namespace tandem::vulkan
