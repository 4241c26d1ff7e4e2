// Records the Vulkan commands of a copy between two allocations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "color/blit.h"
#include "drivers/vulkan/gpu/allocation.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/gpu/rows.h"

namespace tandem::vulkan {

// A layout barrier of one colour image.
struct ImageTransition {
  VkImage image = VK_NULL_HANDLE;
  VkImageLayout from = VK_IMAGE_LAYOUT_UNDEFINED;
  VkImageLayout to = VK_IMAGE_LAYOUT_UNDEFINED;
  VkPipelineStageFlags from_stage = 0;
  VkPipelineStageFlags to_stage = 0;
  VkAccessFlags from_access = 0;
  VkAccessFlags to_access = 0;
  std::uint32_t from_family = VK_QUEUE_FAMILY_IGNORED;
  std::uint32_t to_family = VK_QUEUE_FAMILY_IGNORED;
};
void Transition(const Dispatch& vk, VkCommandBuffer commands, const ImageTransition& transition);

// Records the copy of `command` between kImage and mapped kLinear allocations. Images are in VK_IMAGE_LAYOUT_PRESENT_SRC_KHR
// before and after. Rows in system memory are visible to the host, and so to other devices, when the submission is complete.
// `source` and `destination` locate the rows; both are empty for images.
void RecordCopy(const Dispatch& vk, VkCommandBuffer commands, const CopyCommand& command, const Rows& source,
                const Rows& destination);

// Takes rows over a dma-buf from their users outside the device before it reads or writes them, and gives them back. All other
// functions here do both for the rows that they copy. Nothing for rows that no other device uses by a dma-buf.
void RecordTakeIn(const Dispatch& vk, VkCommandBuffer commands, const Rows& rows);
void RecordGiveOut(const Dispatch& vk, VkCommandBuffer commands, const Rows& rows);

// Layout of rows in memory.
struct RowsLayout {
  std::uint32_t pitch = 0;  // bytes
  std::uint32_t pixel_bytes = 0;
};
[[nodiscard]] VkBufferImageCopy RegionOf(const RowsLayout& rows, std::int32_t rows_x, std::int32_t rows_y, std::int32_t image_x,
                                         std::int32_t image_y, std::uint32_t width, std::uint32_t height);

// Copies areas of an image to equal positions in rows, for a blit to read; and back.
void RecordReadIn(const Dispatch& vk, VkCommandBuffer commands, const Allocation& image, const Rows& rows,
                  std::span<const color::BlitRect> areas);
void RecordWriteBack(const Dispatch& vk, VkCommandBuffer commands, const Allocation& image, const Rows& rows,
                     std::span<const color::BlitRect> areas);
// Copies areas between rows of equal layout.
void RecordRows(const Dispatch& vk, VkCommandBuffer commands, const Rows& from, const Rows& to, const RowsLayout& layout,
                std::span<const color::BlitRect> areas);
void RecordMemoryBarrier(const Dispatch& vk, VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags from_access,
                         VkPipelineStageFlags to, VkAccessFlags to_access);
// Barriers around dispatches that read and write rows: after, and before, transfers and host accesses.
void RecordShaderBegin(const Dispatch& vk, VkCommandBuffer commands);
void RecordShaderEnd(const Dispatch& vk, VkCommandBuffer commands);

// Lets shaders read an image: PRESENT_SRC_KHR to SHADER_READ_ONLY_OPTIMAL, and back again.
void RecordImageRead(const Dispatch& vk, VkCommandBuffer commands, VkImage image);
void RecordImageReadEnd(const Dispatch& vk, VkCommandBuffer commands, VkImage image);

// Makes the application's picture in a linear image visible to the host and to other devices: PRESENT_SRC_KHR to GENERAL, and
// back again.
void RecordRelease(const Dispatch& vk, VkCommandBuffer commands, const Allocation& linear);
void RecordReacquire(const Dispatch& vk, VkCommandBuffer commands, const Allocation& linear);
// Prepares an image for presents before its first rendering: UNDEFINED to PRESENT_SRC_KHR.
void RecordInitialLayout(const Dispatch& vk, VkCommandBuffer commands, VkImage image);

}  // namespace tandem::vulkan
