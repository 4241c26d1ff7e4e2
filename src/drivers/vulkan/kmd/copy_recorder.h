// The Vulkan commands of a copy between two allocations.
#pragma once

#include <cstdint>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "drivers/vulkan/kmd/allocation.h"
#include "drivers/vulkan/kmd/commands.h"

namespace tandem::vulkan {

// A barrier of one colour image's layout.
struct ImageTransition {
  VkImage image = VK_NULL_HANDLE;
  VkImageLayout from = VK_IMAGE_LAYOUT_UNDEFINED;
  VkImageLayout to = VK_IMAGE_LAYOUT_UNDEFINED;
  VkPipelineStageFlags from_stage = 0;
  VkPipelineStageFlags to_stage = 0;
  VkAccessFlags from_access = 0;
  VkAccessFlags to_access = 0;
};
void Transition(const Dispatch& vk, VkCommandBuffer commands, const ImageTransition& transition);

// Writes the copy of `command` between kImage and mapped kLinear allocations. Images are in VK_IMAGE_LAYOUT_PRESENT_SRC_KHR
// before and after; rows in system memory are visible to the host, and so to other devices, when the submission is complete.
void RecordCopy(const Dispatch& vk, VkCommandBuffer commands, const CopyCommand& command);

// One region of a copy between rows in memory and an image, in pixels.
struct RowsLayout {
  std::uint32_t pitch = 0;  // bytes
  std::uint32_t pixel_bytes = 0;
};
[[nodiscard]] VkBufferImageCopy RegionOf(const RowsLayout& rows, std::int32_t rows_x, std::int32_t rows_y, std::int32_t image_x,
                                         std::int32_t image_y, std::uint32_t width, std::uint32_t height);

// The application's picture in a linear image becomes visible to the host: PRESENT_SRC_KHR to GENERAL, and back again.
void RecordRelease(const Dispatch& vk, VkCommandBuffer commands, VkImage image);
void RecordReacquire(const Dispatch& vk, VkCommandBuffer commands, VkImage image);
// An image that nobody rendered to yet may be presented all the same: UNDEFINED to PRESENT_SRC_KHR.
void RecordInitialLayout(const Dispatch& vk, VkCommandBuffer commands, VkImage image);

}  // namespace tandem::vulkan
