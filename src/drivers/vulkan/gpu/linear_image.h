// Linear images over shared pages, by the pages' address or with an explicit modifier over their dma-buf.
#pragma once

#include <array>
#include <cstdint>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/gpu/private_data.h"

namespace tandem::vulkan {

// The structures of one vkCreateImage in stable memory, so that their pointers stay valid.
struct ImageDescription {
  ImageDescription(const Gpu& gpu, const AllocationData& data, VkImageTiling tiling);
  ImageDescription(const ImageDescription&) = delete;
  ImageDescription& operator=(const ImageDescription&) = delete;

  // The program may create further images of the same memory (VkImageSwapchainCreateInfoKHR).
  void SetUse(VkImageUsageFlags usage, VkImageCreateFlags flags) {
    info.usage = usage;
    info.flags = flags | VK_IMAGE_CREATE_ALIAS_BIT;
  }
  template <class T>  // VkFormat, or its integer
  void AddViewFormats(const T* views, std::uint32_t count) {
    if (count == 0) return;
    count = count < kMaxViewFormats ? count : kMaxViewFormats;
    for (std::uint32_t i = 0; i < count; ++i) list_[i] = static_cast<VkFormat>(views[i]);
    formats_.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO;
    formats_.viewFormatCount = count;
    formats_.pViewFormats = list_.data();
    formats_.pNext = info.pNext;
    info.pNext = &formats_;
  }
  // Pages of that kind will be the image's memory. Over a dma-buf the driver is given modifier LINEAR and `pitch` in bytes.
  void MakeImportable(VkExternalMemoryHandleTypeFlagBits type, std::uint32_t pitch);

  VkImageCreateInfo info{};

 private:
  VkImageFormatListCreateInfo formats_{};
  std::array<VkFormat, kMaxViewFormats> list_{};
  VkExternalMemoryImageCreateInfo external_{};
  VkSubresourceLayout plane_{};
  VkImageDrmFormatModifierExplicitCreateInfoEXT modifier_{};
};

// The view formats in the chain of `wanted`; null: none.
[[nodiscard]] const VkImageFormatListCreateInfo* ViewFormatsOf(const VkImageCreateInfo& wanted);

// Succeeds if the device advertises linear images of the allocation's format and size over imported pages of that kind. `wanted`
// gives usage, flags and view formats. kUnsupported with the reason.
[[nodiscard]] Result<void> OffersLinear(const Gpu& gpu, const AllocationData& data, const VkImageCreateInfo& wanted,
                                        VkExternalMemoryHandleTypeFlagBits type);

// Succeeds if the image's rows lie where the surface's do, as the driver reports them. kUnsupported with the reason.
[[nodiscard]] Result<void> CheckLayout(const Gpu& gpu, VkImage image, std::uint32_t pitch,
                                       VkExternalMemoryHandleTypeFlagBits type);

}  // namespace tandem::vulkan
