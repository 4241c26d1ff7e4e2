// VK_EXT_host_image_copy as far as this driver uses it. The names are Vulkan's; headers before 1.3.258 lack the extension.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace tandem::vulkan {

inline constexpr auto kHostImageCopyFeaturesType = static_cast<VkStructureType>(1000270000);
inline constexpr auto kImageToMemoryCopyType = static_cast<VkStructureType>(1000270003);
inline constexpr auto kCopyImageToMemoryInfoType = static_cast<VkStructureType>(1000270004);
inline constexpr auto kHostTransferUsage = static_cast<VkImageUsageFlagBits>(0x00400000);

struct HostImageCopyFeatures {
  VkStructureType sType = kHostImageCopyFeaturesType;
  void* pNext = nullptr;
  VkBool32 hostImageCopy = VK_TRUE;
};

struct ImageToMemoryCopy {
  VkStructureType sType = kImageToMemoryCopyType;
  const void* pNext = nullptr;
  void* pHostPointer = nullptr;
  std::uint32_t memoryRowLength = 0;  // texels
  std::uint32_t memoryImageHeight = 0;
  VkImageSubresourceLayers imageSubresource{};
  VkOffset3D imageOffset{};
  VkExtent3D imageExtent{};
};

struct CopyImageToMemoryInfo {
  VkStructureType sType = kCopyImageToMemoryInfoType;
  const void* pNext = nullptr;
  VkFlags flags = 0;
  VkImage srcImage = VK_NULL_HANDLE;
  VkImageLayout srcImageLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  std::uint32_t regionCount = 0;
  const ImageToMemoryCopy* pRegions = nullptr;
};

using PFN_vkCopyImageToMemoryEXT = VkResult(VKAPI_PTR*)(VkDevice device, const CopyImageToMemoryInfo* info);

}  // namespace tandem::vulkan
