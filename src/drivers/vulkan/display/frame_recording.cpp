#include "drivers/vulkan/display/frame_recording.h"

#include <algorithm>

#include "color/format.h"
#include "drivers/vulkan/gpu/copy_recorder.h"

namespace tandem::vulkan {
namespace {

constexpr VkImageSubresourceLayers kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;

void Clear(const Dispatch& vk, VkCommandBuffer commands, VkImage image) {
  const VkClearColorValue black{{0.0F, 0.0F, 0.0F, 1.0F}};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vk.CmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &black, 1, &all);
  Transition(vk, commands,
             {image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kTransfer, kTransfer,
              VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_WRITE_BIT});
}

std::vector<VkImageBlit> BlitsOf(const std::vector<VkBufferImageCopy>& regions) {
  std::vector<VkImageBlit> blits;
  for (const VkBufferImageCopy& region : regions) {
    const VkOffset3D& from = region.imageOffset;
    const VkOffset3D to{from.x + static_cast<std::int32_t>(region.imageExtent.width),
                        from.y + static_cast<std::int32_t>(region.imageExtent.height), 1};
    blits.push_back({kColor, {from, to}, kColor, {from, to}});
  }
  return blits;
}

// Copies rows to the conversion's image, then blits them to the same place of the window's image.
void RecordConverted(const Dispatch& vk, VkCommandBuffer commands, VkBuffer rows, const std::vector<VkBufferImageCopy>& regions,
                     VkImage conversion, VkImage image) {
  const auto count = static_cast<std::uint32_t>(regions.size());
  // Runs after the previous frame's blit.
  Transition(vk, commands,
             {conversion, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kTransfer, kTransfer, 0,
              VK_ACCESS_TRANSFER_WRITE_BIT});
  vk.CmdCopyBufferToImage(commands, rows, conversion, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, count, regions.data());
  Transition(vk, commands,
             {conversion, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, kTransfer, kTransfer,
              VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT});
  const std::vector<VkImageBlit> blits = BlitsOf(regions);
  vk.CmdBlitImage(commands, conversion, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, count,
                  blits.data(), VK_FILTER_NEAREST);
}

// True if the frame reaches every pixel of the window.
bool Covers(const CopyCommand& command, const FrameTarget& target) {
  FrameTarget all = target;
  all.whole = true;
  const std::vector<VkBufferImageCopy> regions = FrameRegions(command, all);
  return regions.size() == 1 && regions[0].imageOffset.x == 0 && regions[0].imageOffset.y == 0 &&
         regions[0].imageExtent.width == target.extent.width && regions[0].imageExtent.height == target.extent.height;
}

}  // namespace

std::vector<VkBufferImageCopy> FrameRegions(const CopyCommand& command, const FrameTarget& target) {
  const AllocationData& frame = command.source->data();
  const AllocationData& primary = command.destination->data();
  const RowsLayout rows{frame.pitch, color::BytesPerPixel(frame.format)};
  std::vector<VkBufferImageCopy> regions;
  const auto add = [&](RECT rect) {
    rect.left = std::max({rect.left, LONG{0}, LONG{-command.offset_x}});
    rect.top = std::max({rect.top, LONG{0}, LONG{-command.offset_y}});
    rect.right = std::min({rect.right, static_cast<LONG>(std::min(primary.width, target.extent.width)),
                           static_cast<LONG>(frame.width) - command.offset_x});
    rect.bottom = std::min({rect.bottom, static_cast<LONG>(std::min(primary.height, target.extent.height)),
                            static_cast<LONG>(frame.height) - command.offset_y});
    if (rect.left >= rect.right || rect.top >= rect.bottom) return;
    regions.push_back(RegionOf(rows, rect.left + command.offset_x, rect.top + command.offset_y, rect.left, rect.top,
                               static_cast<std::uint32_t>(rect.right - rect.left),
                               static_cast<std::uint32_t>(rect.bottom - rect.top)));
  };
  if (target.whole) {
    add({0, 0, static_cast<LONG>(primary.width), static_cast<LONG>(primary.height)});
    return regions;
  }
  for (std::uint32_t i = 0; i < command.rect_count; ++i) add(command.rects[i]);
  return regions;
}

void RecordFrame(const Dispatch& vk, VkCommandBuffer commands, const CopyCommand& command, const FrameTarget& target,
                 VkImage conversion) {
  const VkImage image = target.image.image;
  const std::vector<VkBufferImageCopy> regions = FrameRegions(command, target);
  // The preceding semaphore is waited on at the transfer stage, so the dependency chain continues there.
  Transition(vk, commands,
             {image, target.append ? VK_IMAGE_LAYOUT_PRESENT_SRC_KHR : VK_IMAGE_LAYOUT_UNDEFINED,
              VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kTransfer, kTransfer, 0, VK_ACCESS_TRANSFER_WRITE_BIT});
  if (!target.append && !Covers(command, target)) Clear(vk, commands, image);
  if (!regions.empty()) {
    const VkBuffer rows = command.source->rows().buffer;
    if (conversion == VK_NULL_HANDLE) {
      vk.CmdCopyBufferToImage(commands, rows, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                              static_cast<std::uint32_t>(regions.size()), regions.data());
    } else {
      RecordConverted(vk, commands, rows, regions, conversion, image);
    }
  }
  Transition(vk, commands,
             {image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, kTransfer,
              VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, 0});
}

}  // namespace tandem::vulkan
