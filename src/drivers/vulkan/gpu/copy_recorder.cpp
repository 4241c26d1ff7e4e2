#include "drivers/vulkan/gpu/copy_recorder.h"

#include "drivers/vulkan/format.h"

namespace tandem::vulkan {
namespace {

constexpr VkImageSubresourceLayers kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

RowsLayout RowsOf(const Allocation& allocation) { return {allocation.pitch(), drivers::PixelBytes(allocation.data().format)}; }

std::uint32_t Width(const RECT& rect) { return static_cast<std::uint32_t>(rect.right - rect.left); }
std::uint32_t Height(const RECT& rect) { return static_cast<std::uint32_t>(rect.bottom - rect.top); }

// Moves an image from PRESENT_SRC_KHR to a copy's layout, and back.
void BeginImage(const Dispatch& vk, VkCommandBuffer commands, VkImage image, VkImageLayout layout, VkAccessFlags access) {
  Transition(vk, commands, {image, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, layout, kAll, kTransfer, VK_ACCESS_MEMORY_WRITE_BIT, access});
}
void EndImage(const Dispatch& vk, VkCommandBuffer commands, VkImage image, VkImageLayout layout, VkAccessFlags access) {
  Transition(vk, commands, {image, layout, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, kTransfer, kAll, access, VK_ACCESS_MEMORY_READ_BIT});
}

// `rows`: what a transfer has written.
void ShowToHost(const Dispatch& vk, VkCommandBuffer commands, const Rows& rows) {
  VkBufferMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.buffer = rows.buffer;
  barrier.size = VK_WHOLE_SIZE;
  vk.CmdPipelineBarrier(commands, kTransfer, VK_PIPELINE_STAGE_HOST_BIT, 0, 0, nullptr, 1, &barrier, 0, nullptr);
  RecordGiveOut(vk, commands, rows);
}

void TransferRows(const Dispatch& vk, VkCommandBuffer commands, const Rows& rows, bool in) {
  if (!rows.outside.transfers()) return;
  VkBufferMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
  barrier.srcAccessMask = in ? 0 : VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = in ? VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT : 0;
  barrier.srcQueueFamilyIndex = in ? rows.outside.outside : rows.outside.inside;
  barrier.dstQueueFamilyIndex = in ? rows.outside.inside : rows.outside.outside;
  barrier.buffer = rows.buffer;
  barrier.size = VK_WHOLE_SIZE;
  vk.CmdPipelineBarrier(commands, kAll, kAll, 0, 0, nullptr, 1, &barrier, 0, nullptr);
}

std::vector<VkBufferImageCopy> Regions(const CopyCommand& command, const RowsLayout& rows, std::uint64_t rows_offset,
                                       bool rows_are_source) {
  std::vector<VkBufferImageCopy> regions;
  regions.reserve(command.rect_count);
  for (std::uint32_t i = 0; i < command.rect_count; ++i) {
    const RECT& rect = command.rects[i];
    const std::int32_t source_x = rect.left + command.offset_x;
    const std::int32_t source_y = rect.top + command.offset_y;
    regions.push_back(rows_are_source ? RegionOf(rows, source_x, source_y, rect.left, rect.top, Width(rect), Height(rect))
                                      : RegionOf(rows, rect.left, rect.top, source_x, source_y, Width(rect), Height(rect)));
    regions.back().bufferOffset += rows_offset;
  }
  return regions;
}

std::vector<VkBufferImageCopy> Regions(const RowsLayout& layout, const Rows& rows, std::span<const color::BlitRect> areas) {
  std::vector<VkBufferImageCopy> regions;
  regions.reserve(areas.size());
  for (const color::BlitRect& area : areas) {
    const auto x = static_cast<std::int32_t>(area.left);
    const auto y = static_cast<std::int32_t>(area.top);
    regions.push_back(RegionOf(layout, x, y, x, y, area.width(), area.height()));
    regions.back().bufferOffset += rows.offset;
  }
  return regions;
}

void ImageToRows(const Dispatch& vk, VkCommandBuffer commands, const CopyCommand& command, const Rows& rows) {
  constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const VkImage image = command.source->image();
  const auto regions = Regions(command, RowsOf(*command.destination), rows.offset, false);
  RecordTakeIn(vk, commands, rows);
  BeginImage(vk, commands, image, kLayout, VK_ACCESS_TRANSFER_READ_BIT);
  vk.CmdCopyImageToBuffer(commands, image, kLayout, rows.buffer, command.rect_count, regions.data());
  EndImage(vk, commands, image, kLayout, 0);
  ShowToHost(vk, commands, rows);
}

void RowsToImage(const Dispatch& vk, VkCommandBuffer commands, const CopyCommand& command, const Rows& rows) {
  constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  const VkImage image = command.destination->image();
  const auto regions = Regions(command, RowsOf(*command.source), rows.offset, true);
  RecordTakeIn(vk, commands, rows);
  BeginImage(vk, commands, image, kLayout, VK_ACCESS_TRANSFER_WRITE_BIT);
  vk.CmdCopyBufferToImage(commands, rows.buffer, image, kLayout, command.rect_count, regions.data());
  EndImage(vk, commands, image, kLayout, VK_ACCESS_TRANSFER_WRITE_BIT);
  RecordGiveOut(vk, commands, rows);
}

// A rectangle of rows in two buffers, in bytes.
struct RowsCopy {
  std::uint64_t from, from_pitch;
  std::uint64_t to, to_pitch;
  std::uint64_t row_bytes;
  std::uint64_t rows;
};

// One region where no row has padding: a GPU takes about two microseconds for each region.
void AppendRegions(const RowsCopy& copy, std::vector<VkBufferCopy>& regions) {
  const bool whole = copy.row_bytes == copy.from_pitch && copy.row_bytes == copy.to_pitch;
  if (whole && copy.rows != 0) return regions.push_back({copy.from, copy.to, copy.row_bytes * copy.rows});
  for (std::uint64_t y = 0; y < copy.rows; ++y)
    regions.push_back({copy.from + y * copy.from_pitch, copy.to + y * copy.to_pitch, copy.row_bytes});
}

void RowsToRows(const Dispatch& vk, VkCommandBuffer commands, const CopyCommand& command, const Rows& source,
                const Rows& destination) {
  const RowsLayout from = RowsOf(*command.source);
  const RowsLayout to = RowsOf(*command.destination);
  std::vector<VkBufferCopy> regions;
  for (std::uint32_t i = 0; i < command.rect_count; ++i) {
    const RECT& rect = command.rects[i];
    const auto source_y = static_cast<std::uint64_t>(rect.top + command.offset_y);
    const auto source_x = static_cast<std::uint64_t>(rect.left + command.offset_x);
    AppendRegions({source.offset + source_y * from.pitch + source_x * from.pixel_bytes, from.pitch,
                   destination.offset + static_cast<std::uint64_t>(rect.top) * to.pitch +
                       static_cast<std::uint64_t>(rect.left) * to.pixel_bytes,
                   to.pitch, std::uint64_t{Width(rect)} * to.pixel_bytes, Height(rect)},
                  regions);
  }
  RecordTakeIn(vk, commands, source);
  RecordTakeIn(vk, commands, destination);
  vk.CmdCopyBuffer(commands, source.buffer, destination.buffer, static_cast<std::uint32_t>(regions.size()), regions.data());
  RecordGiveOut(vk, commands, source);
  ShowToHost(vk, commands, destination);
}

void ImageToImage(const Dispatch& vk, VkCommandBuffer commands, const CopyCommand& command) {
  const VkImage source = command.source->image();
  const VkImage destination = command.destination->image();
  std::vector<VkImageCopy> regions;
  for (std::uint32_t i = 0; i < command.rect_count; ++i) {
    const RECT& rect = command.rects[i];
    regions.push_back({kColor,
                       {rect.left + command.offset_x, rect.top + command.offset_y, 0},
                       kColor,
                       {rect.left, rect.top, 0},
                       {Width(rect), Height(rect), 1}});
  }
  BeginImage(vk, commands, source, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_ACCESS_TRANSFER_READ_BIT);
  BeginImage(vk, commands, destination, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_ACCESS_TRANSFER_WRITE_BIT);
  vk.CmdCopyImage(commands, source, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, destination, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                  static_cast<std::uint32_t>(regions.size()), regions.data());
  EndImage(vk, commands, source, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, 0);
  EndImage(vk, commands, destination, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_ACCESS_TRANSFER_WRITE_BIT);
}

}  // namespace

void RecordTakeIn(const Dispatch& vk, VkCommandBuffer commands, const Rows& rows) { TransferRows(vk, commands, rows, true); }

void RecordGiveOut(const Dispatch& vk, VkCommandBuffer commands, const Rows& rows) { TransferRows(vk, commands, rows, false); }

void Transition(const Dispatch& vk, VkCommandBuffer commands, const ImageTransition& transition) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = transition.from_access;
  barrier.dstAccessMask = transition.to_access;
  barrier.oldLayout = transition.from;
  barrier.newLayout = transition.to;
  barrier.srcQueueFamilyIndex = transition.from_family;
  barrier.dstQueueFamilyIndex = transition.to_family;
  barrier.image = transition.image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vk.CmdPipelineBarrier(commands, transition.from_stage, transition.to_stage, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

VkBufferImageCopy RegionOf(const RowsLayout& rows, std::int32_t rows_x, std::int32_t rows_y, std::int32_t image_x,
                           std::int32_t image_y, std::uint32_t width, std::uint32_t height) {
  VkBufferImageCopy region{};
  region.bufferOffset = std::uint64_t{rows.pitch} * static_cast<std::uint32_t>(rows_y) +
                        std::uint64_t{rows.pixel_bytes} * static_cast<std::uint32_t>(rows_x);
  region.bufferRowLength = rows.pitch / rows.pixel_bytes;
  region.imageSubresource = kColor;
  region.imageOffset = {image_x, image_y, 0};
  region.imageExtent = {width, height, 1};
  return region;
}

void RecordCopy(const Dispatch& vk, VkCommandBuffer commands, const CopyCommand& command, const Rows& source,
                const Rows& destination) {
  if (source.valid() && destination.valid()) {
    RowsToRows(vk, commands, command, source, destination);
  } else if (source.valid()) {
    RowsToImage(vk, commands, command, source);
  } else if (destination.valid()) {
    ImageToRows(vk, commands, command, destination);
  } else {
    ImageToImage(vk, commands, command);
  }
}

void RecordReadIn(const Dispatch& vk, VkCommandBuffer commands, const Allocation& image, const Rows& rows,
                  std::span<const color::BlitRect> areas) {
  constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const auto regions = Regions(RowsOf(image), rows, areas);
  RecordTakeIn(vk, commands, rows);
  BeginImage(vk, commands, image.image(), kLayout, VK_ACCESS_TRANSFER_READ_BIT);
  vk.CmdCopyImageToBuffer(commands, image.image(), kLayout, rows.buffer, static_cast<std::uint32_t>(regions.size()),
                          regions.data());
  EndImage(vk, commands, image.image(), kLayout, 0);
  ShowToHost(vk, commands, rows);
}

void RecordWriteBack(const Dispatch& vk, VkCommandBuffer commands, const Allocation& image, const Rows& rows,
                     std::span<const color::BlitRect> areas) {
  constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  const auto regions = Regions(RowsOf(image), rows, areas);
  RecordTakeIn(vk, commands, rows);
  BeginImage(vk, commands, image.image(), kLayout, VK_ACCESS_TRANSFER_WRITE_BIT);
  vk.CmdCopyBufferToImage(commands, rows.buffer, image.image(), kLayout, static_cast<std::uint32_t>(regions.size()),
                          regions.data());
  EndImage(vk, commands, image.image(), kLayout, VK_ACCESS_TRANSFER_WRITE_BIT);
  RecordGiveOut(vk, commands, rows);
}

void RecordRows(const Dispatch& vk, VkCommandBuffer commands, const Rows& from, const Rows& to, const RowsLayout& layout,
                std::span<const color::BlitRect> areas) {
  std::vector<VkBufferCopy> regions;
  for (const color::BlitRect& area : areas) {
    const std::uint64_t offset = std::uint64_t{area.top} * layout.pitch + std::uint64_t{area.left} * layout.pixel_bytes;
    AppendRegions({from.offset + offset, layout.pitch, to.offset + offset, layout.pitch,
                   std::uint64_t{area.width()} * layout.pixel_bytes, area.height()},
                  regions);
  }
  RecordTakeIn(vk, commands, from);
  RecordTakeIn(vk, commands, to);
  vk.CmdCopyBuffer(commands, from.buffer, to.buffer, static_cast<std::uint32_t>(regions.size()), regions.data());
  RecordGiveOut(vk, commands, from);
  ShowToHost(vk, commands, to);
}

void RecordMemoryBarrier(const Dispatch& vk, VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags from_access,
                         VkPipelineStageFlags to, VkAccessFlags to_access) {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = from_access;
  barrier.dstAccessMask = to_access;
  vk.CmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void RecordShaderBegin(const Dispatch& vk, VkCommandBuffer commands) {
  RecordMemoryBarrier(vk, commands, kTransfer | VK_PIPELINE_STAGE_HOST_BIT,
                      VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                      VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

void RecordShaderEnd(const Dispatch& vk, VkCommandBuffer commands) {
  RecordMemoryBarrier(vk, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                      kTransfer | VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_HOST_READ_BIT);
}

void RecordImageRead(const Dispatch& vk, VkCommandBuffer commands, VkImage image) {
  Transition(vk, commands,
             {image, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, kAll,
              VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT});
}

void RecordImageReadEnd(const Dispatch& vk, VkCommandBuffer commands, VkImage image) {
  Transition(vk, commands,
             {image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
              VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, kAll, 0, VK_ACCESS_MEMORY_READ_BIT});
}

void RecordRelease(const Dispatch& vk, VkCommandBuffer commands, const Allocation& linear) {
  const OutsideFamilies& families = linear.outside();
  Transition(vk, commands,
             {linear.image(), VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_IMAGE_LAYOUT_GENERAL, kAll, VK_PIPELINE_STAGE_HOST_BIT,
              VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_HOST_READ_BIT, families.inside, families.outside});
}

void RecordReacquire(const Dispatch& vk, VkCommandBuffer commands, const Allocation& linear) {
  const OutsideFamilies& families = linear.outside();
  Transition(vk, commands,
             {linear.image(), VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_PIPELINE_STAGE_HOST_BIT, kAll, 0,
              VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, families.outside, families.inside});
}

void RecordInitialLayout(const Dispatch& vk, VkCommandBuffer commands, VkImage image) {
  Transition(vk, commands,
             {image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, kAll, 0,
              VK_ACCESS_MEMORY_READ_BIT});
}

}  // namespace tandem::vulkan
