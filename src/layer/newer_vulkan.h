// Declarations of the extensions for window systems that Vulkan's headers 1.3.239 lack. Names, values and layouts are Khronos'.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

// NOLINTBEGIN(readability-identifier-naming): the names are Khronos'.

#ifndef VK_KHR_swapchain_maintenance1
#define VK_KHR_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME "VK_KHR_swapchain_maintenance1"
#endif

#ifndef VK_KHR_present_id2
#define VK_KHR_PRESENT_ID_2_SPEC_VERSION 1
#define VK_KHR_PRESENT_ID_2_EXTENSION_NAME "VK_KHR_present_id2"
inline constexpr auto VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_ID_2_KHR = static_cast<VkStructureType>(1000479000);
inline constexpr auto VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR = static_cast<VkStructureType>(1000479001);
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_2_FEATURES_KHR = static_cast<VkStructureType>(1000479002);
inline constexpr auto VK_SWAPCHAIN_CREATE_PRESENT_ID_2_BIT_KHR = static_cast<VkSwapchainCreateFlagBitsKHR>(0x40);

struct VkSurfaceCapabilitiesPresentId2KHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 presentId2Supported;
};

struct VkPresentId2KHR {
  VkStructureType sType;
  const void* pNext;
  std::uint32_t swapchainCount;
  const std::uint64_t* pPresentIds;
};

struct VkPhysicalDevicePresentId2FeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 presentId2;
};
#endif

#ifndef VK_KHR_present_wait2
#define VK_KHR_PRESENT_WAIT_2_SPEC_VERSION 1
#define VK_KHR_PRESENT_WAIT_2_EXTENSION_NAME "VK_KHR_present_wait2"
inline constexpr auto VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_WAIT_2_KHR = static_cast<VkStructureType>(1000480000);
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_2_FEATURES_KHR = static_cast<VkStructureType>(1000480001);
inline constexpr auto VK_STRUCTURE_TYPE_PRESENT_WAIT_2_INFO_KHR = static_cast<VkStructureType>(1000480002);
inline constexpr auto VK_SWAPCHAIN_CREATE_PRESENT_WAIT_2_BIT_KHR = static_cast<VkSwapchainCreateFlagBitsKHR>(0x80);

struct VkSurfaceCapabilitiesPresentWait2KHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 presentWait2Supported;
};

struct VkPhysicalDevicePresentWait2FeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 presentWait2;
};

struct VkPresentWait2InfoKHR {
  VkStructureType sType;
  const void* pNext;
  std::uint64_t presentId;
  std::uint64_t timeout;
};

using PFN_vkWaitForPresent2KHR = VkResult(VKAPI_PTR*)(VkDevice device, VkSwapchainKHR swapchain,
                                                      const VkPresentWait2InfoKHR* pPresentWait2Info);
#endif

// Its structure is VK_EXT_present_mode_fifo_latest_ready's as well.
#ifndef VK_KHR_present_mode_fifo_latest_ready
#define VK_KHR_PRESENT_MODE_FIFO_LATEST_READY_SPEC_VERSION 1
#define VK_KHR_PRESENT_MODE_FIFO_LATEST_READY_EXTENSION_NAME "VK_KHR_present_mode_fifo_latest_ready"
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_MODE_FIFO_LATEST_READY_FEATURES_KHR =
    static_cast<VkStructureType>(1000361000);
inline constexpr auto VK_PRESENT_MODE_FIFO_LATEST_READY_KHR = static_cast<VkPresentModeKHR>(1000361000);

struct VkPhysicalDevicePresentModeFifoLatestReadyFeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 presentModeFifoLatestReady;
};
#endif

#ifndef VK_EXT_present_mode_fifo_latest_ready
#define VK_EXT_PRESENT_MODE_FIFO_LATEST_READY_SPEC_VERSION 1
#define VK_EXT_PRESENT_MODE_FIFO_LATEST_READY_EXTENSION_NAME "VK_EXT_present_mode_fifo_latest_ready"
#endif

// The other declarations are VK_EXT_calibrated_timestamps'.
#ifndef VK_KHR_calibrated_timestamps
#define VK_KHR_CALIBRATED_TIMESTAMPS_SPEC_VERSION 1
#define VK_KHR_CALIBRATED_TIMESTAMPS_EXTENSION_NAME "VK_KHR_calibrated_timestamps"
using VkTimeDomainKHR = VkTimeDomainEXT;
using PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsKHR = PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT;
using PFN_vkGetCalibratedTimestampsKHR = PFN_vkGetCalibratedTimestampsEXT;
#endif

#ifndef VK_EXT_present_timing
#define VK_EXT_PRESENT_TIMING_SPEC_VERSION 3
#define VK_EXT_PRESENT_TIMING_EXTENSION_NAME "VK_EXT_present_timing"
inline constexpr auto VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT = static_cast<VkResult>(-1000208000);
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_TIMING_FEATURES_EXT = static_cast<VkStructureType>(1000208000);
inline constexpr auto VK_STRUCTURE_TYPE_SWAPCHAIN_TIMING_PROPERTIES_EXT = static_cast<VkStructureType>(1000208001);
inline constexpr auto VK_STRUCTURE_TYPE_SWAPCHAIN_TIME_DOMAIN_PROPERTIES_EXT = static_cast<VkStructureType>(1000208002);
inline constexpr auto VK_STRUCTURE_TYPE_PRESENT_TIMINGS_INFO_EXT = static_cast<VkStructureType>(1000208003);
inline constexpr auto VK_STRUCTURE_TYPE_PRESENT_TIMING_INFO_EXT = static_cast<VkStructureType>(1000208004);
inline constexpr auto VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_INFO_EXT = static_cast<VkStructureType>(1000208005);
inline constexpr auto VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_PROPERTIES_EXT = static_cast<VkStructureType>(1000208006);
inline constexpr auto VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_EXT = static_cast<VkStructureType>(1000208007);
inline constexpr auto VK_STRUCTURE_TYPE_PRESENT_TIMING_SURFACE_CAPABILITIES_EXT = static_cast<VkStructureType>(1000208008);
inline constexpr auto VK_SWAPCHAIN_CREATE_PRESENT_TIMING_BIT_EXT = static_cast<VkSwapchainCreateFlagBitsKHR>(0x200);
inline constexpr auto VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT = static_cast<VkTimeDomainKHR>(1000208000);
inline constexpr auto VK_TIME_DOMAIN_SWAPCHAIN_LOCAL_EXT = static_cast<VkTimeDomainKHR>(1000208001);

using VkPresentStageFlagsEXT = VkFlags;
enum VkPresentStageFlagBitsEXT : std::uint32_t {
  VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT = 0x1,
  VK_PRESENT_STAGE_REQUEST_DEQUEUED_BIT_EXT = 0x2,
  VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT = 0x4,
  VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_VISIBLE_BIT_EXT = 0x8,
};
using VkPastPresentationTimingFlagsEXT = VkFlags;
using VkPresentTimingInfoFlagsEXT = VkFlags;
enum VkPresentTimingInfoFlagBitsEXT : std::uint32_t {
  VK_PRESENT_TIMING_INFO_PRESENT_AT_RELATIVE_TIME_BIT_EXT = 0x1,
  VK_PRESENT_TIMING_INFO_PRESENT_AT_NEAREST_REFRESH_CYCLE_BIT_EXT = 0x2,
};

struct VkPhysicalDevicePresentTimingFeaturesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 presentTiming;
  VkBool32 presentAtAbsoluteTime;
  VkBool32 presentAtRelativeTime;
};

struct VkPresentTimingSurfaceCapabilitiesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 presentTimingSupported;
  VkBool32 presentAtAbsoluteTimeSupported;
  VkBool32 presentAtRelativeTimeSupported;
  VkPresentStageFlagsEXT presentStageQueries;
};

struct VkSwapchainTimingPropertiesEXT {
  VkStructureType sType;
  void* pNext;
  std::uint64_t refreshDuration;
  std::uint64_t refreshInterval;
};

struct VkSwapchainTimeDomainPropertiesEXT {
  VkStructureType sType;
  void* pNext;
  std::uint32_t timeDomainCount;
  VkTimeDomainKHR* pTimeDomains;
  std::uint64_t* pTimeDomainIds;
};

struct VkPastPresentationTimingInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkPastPresentationTimingFlagsEXT flags;
  VkSwapchainKHR swapchain;
};

struct VkPresentStageTimeEXT {
  VkPresentStageFlagsEXT stage;
  std::uint64_t time;
};

struct VkPastPresentationTimingEXT {
  VkStructureType sType;
  void* pNext;
  std::uint64_t presentId;
  std::uint64_t targetTime;
  std::uint32_t presentStageCount;
  VkPresentStageTimeEXT* pPresentStages;
  VkTimeDomainKHR timeDomain;
  std::uint64_t timeDomainId;
  VkBool32 reportComplete;
};

struct VkPastPresentationTimingPropertiesEXT {
  VkStructureType sType;
  void* pNext;
  std::uint64_t timingPropertiesCounter;
  std::uint64_t timeDomainsCounter;
  std::uint32_t presentationTimingCount;
  VkPastPresentationTimingEXT* pPresentationTimings;
};

struct VkPresentTimingInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkPresentTimingInfoFlagsEXT flags;
  std::uint64_t targetTime;
  std::uint64_t timeDomainId;
  VkPresentStageFlagsEXT presentStageQueries;
  VkPresentStageFlagsEXT targetTimeDomainPresentStage;
};

struct VkPresentTimingsInfoEXT {
  VkStructureType sType;
  const void* pNext;
  std::uint32_t swapchainCount;
  const VkPresentTimingInfoEXT* pTimingInfos;
};

using PFN_vkSetSwapchainPresentTimingQueueSizeEXT = VkResult(VKAPI_PTR*)(VkDevice device, VkSwapchainKHR swapchain,
                                                                         std::uint32_t size);
using PFN_vkGetSwapchainTimingPropertiesEXT = VkResult(VKAPI_PTR*)(VkDevice device, VkSwapchainKHR swapchain,
                                                                   VkSwapchainTimingPropertiesEXT* pSwapchainTimingProperties,
                                                                   std::uint64_t* pSwapchainTimingPropertiesCounter);
using PFN_vkGetSwapchainTimeDomainPropertiesEXT =
    VkResult(VKAPI_PTR*)(VkDevice device, VkSwapchainKHR swapchain,
                         VkSwapchainTimeDomainPropertiesEXT* pSwapchainTimeDomainProperties, std::uint64_t* pTimeDomainsCounter);
using PFN_vkGetPastPresentationTimingEXT =
    VkResult(VKAPI_PTR*)(VkDevice device, const VkPastPresentationTimingInfoEXT* pPastPresentationTimingInfo,
                         VkPastPresentationTimingPropertiesEXT* pPastPresentationTimingProperties);
#endif

// NOLINTEND(readability-identifier-naming)
