#include "drivers/processor/kmd/surface_commands.h"

#include <algorithm>
#include <new>

namespace tandem::processor {
namespace {

// NV12: counted in its luma, one byte a pixel.
std::uint64_t PixelOffset(const AllocationData& surface, std::int64_t x, std::int64_t y) {
  const std::uint32_t pixel_bytes = drivers::IsNv12(surface.format) ? 1 : drivers::PixelBytes(surface.format);
  return static_cast<std::uint64_t>(y) * surface.pitch + static_cast<std::uint64_t>(x) * pixel_bytes;
}

// The last known address: Patch may be skipped. 0, which never resolves, when nothing is known yet.
std::uint64_t KnownAddress(const SurfaceReference& surface, std::uint64_t offset) {
  return surface.entry->SegmentId == 0 ? 0 : static_cast<std::uint64_t>(surface.entry->PhysicalAddress.QuadPart) + offset;
}

}  // namespace

SurfaceReference ReferenceTo(const DXGK_ALLOCATIONLIST* list, std::uint32_t index) {
  SurfaceReference reference{index, list + index, nullptr, nullptr};
  const auto* opened = static_cast<const OpenedAllocation*>(list[index].hDeviceSpecificAllocation);
  if (opened == nullptr) return reference;
  reference.allocation = opened->allocation;
  reference.data = &opened->allocation->data;
  return reference;
}

void BeginBufferData(void*& private_data, std::uint32_t bytes, const Allocation* written) {
  if (private_data == nullptr || bytes < sizeof(BufferData)) return;
  auto& data = *new (private_data) BufferData();
  private_data = &data + 1;
  if (written == nullptr) return;
  data.passes = written->passes.get();
  data.pixel_bytes = std::max(drivers::PixelBytes(written->data.format), 1U);
}

bool SurfaceCommandWriter::Copy(const SurfaceReference& source, std::int64_t source_left, std::int64_t source_top,
                                const SurfaceReference& destination, const drivers::PixelRect& rect) {
  if (!commands_.Fits<CopyRectCommand>() || !HasPatches(2)) return false;
  const std::uint64_t source_offset = PixelOffset(*source.data, source_left, source_top);
  const std::uint64_t destination_offset = PixelOffset(*destination.data, rect.left, rect.top);
  CopyRectCommand copy;
  copy.source_address = KnownAddress(source, source_offset);
  copy.destination_address = KnownAddress(destination, destination_offset);
  copy.source_pitch = source.data->pitch;
  copy.destination_pitch = destination.data->pitch;
  copy.row_bytes = static_cast<std::uint32_t>(rect.width()) * drivers::PixelBytes(destination.data->format);
  copy.rows = static_cast<std::uint32_t>(rect.height());
  const std::uint32_t at = commands_.Append(copy);
  Patch(source, source_offset, at, offsetof(CopyRectCommand, source_address), Slot::kSource);
  Patch(destination, destination_offset, at, offsetof(CopyRectCommand, destination_address), Slot::kDestination);
  return true;
}

bool SurfaceCommandWriter::Blit(const SurfaceReference& source, const SurfaceReference& destination, const BlitMode& mode,
                                const drivers::PixelRect& rect) {
  if (!commands_.Fits<BlitCommand>() || !HasPatches(2)) return false;
  const bool turned = color::IsQuarterTurn(mode.rotation);
  const auto extent = [](std::int64_t pixels) { return static_cast<std::uint32_t>(pixels); };
  const color::BlitRect seen{extent(rect.left), extent(rect.top), extent(rect.right), extent(rect.bottom)};
  const color::BlitRect stored = color::RotatedRect(seen, turned ? destination.data->height : destination.data->width,
                                                    turned ? destination.data->width : destination.data->height, mode.rotation);
  const std::uint64_t source_offset = PixelOffset(*source.data, mode.source.left, mode.source.top);
  const std::uint64_t destination_offset = PixelOffset(*destination.data, stored.left, stored.top);
  BlitCommand blit;
  blit.source_address = KnownAddress(source, source_offset);
  blit.destination_address = KnownAddress(destination, destination_offset);
  blit.source_pitch = source.data->pitch;
  blit.destination_pitch = destination.data->pitch;
  blit.source_format = static_cast<std::uint32_t>(source.data->format);
  blit.destination_format = static_cast<std::uint32_t>(destination.data->format);
  blit.source_width = extent(mode.source.width());
  blit.source_height = extent(mode.source.height());
  blit.destination_width = extent(mode.destination.width());
  blit.destination_height = extent(mode.destination.height());
  blit.part_left = extent(rect.left - mode.destination.left);
  blit.part_top = extent(rect.top - mode.destination.top);
  blit.part_right = extent(rect.right - mode.destination.left);
  blit.part_bottom = extent(rect.bottom - mode.destination.top);
  blit.rotation = static_cast<std::uint32_t>(mode.rotation);
  blit.transfer = static_cast<std::uint32_t>(mode.transfer);
  blit.key = static_cast<std::uint32_t>(mode.key);
  if (drivers::IsNv12(source.data->format)) {
    blit.chroma_distance = color::Nv12ChromaDistance(source.data->height, extent(mode.source.top));
  } else if (drivers::IsNv12(destination.data->format)) {
    blit.chroma_distance = color::Nv12ChromaDistance(destination.data->height, stored.top);
  }
  blit.palette = source.data->vidpn_source;
  blit.dither = mode.dither ? 1 : 0;
  blit.key_pixel = mode.key_pixel;
  const std::uint32_t at = commands_.Append(blit);
  Patch(source, source_offset, at, offsetof(BlitCommand, source_address), Slot::kSource);
  Patch(destination, destination_offset, at, offsetof(BlitCommand, destination_address), Slot::kDestination);
  return true;
}

bool SurfaceCommandWriter::Link(Opcode opcode, const SurfaceReference& picture, const SurfaceReference& surface,
                                const drivers::PixelRect& rect, color::Rotation rotation) {
  if (!commands_.Fits<LinkCommand>() || !HasPatches(2)) return false;
  LinkCommand link;
  link.header.opcode = opcode;
  link.picture_address = KnownAddress(picture, 0);
  link.surface_address = KnownAddress(surface, 0);
  link.picture_pitch = picture.data->pitch;
  link.picture_format = static_cast<std::uint32_t>(picture.data->format);
  link.width = surface.data->width;
  link.height = surface.data->height;
  link.rotation = static_cast<std::uint32_t>(rotation);
  link.first_row = static_cast<std::uint32_t>(rect.top);
  link.end_row = static_cast<std::uint32_t>(rect.bottom);
  const std::uint32_t at = commands_.Append(link);
  Patch(picture, 0, at, offsetof(LinkCommand, picture_address), Slot::kSource);
  Patch(surface, 0, at, offsetof(LinkCommand, surface_address), Slot::kDestination);
  return true;
}

bool SurfaceCommandWriter::Fill(const SurfaceReference& destination, const drivers::PixelRect& rect, std::uint64_t value) {
  if (!commands_.Fits<FillRectCommand>() || !HasPatches(1)) return false;
  const std::uint64_t offset = PixelOffset(*destination.data, rect.left, rect.top);
  FillRectCommand fill;
  fill.address = KnownAddress(destination, offset);
  fill.pitch = destination.data->pitch;
  fill.pixel_bytes = drivers::PixelBytes(destination.data->format);
  fill.width = static_cast<std::uint32_t>(rect.width());
  fill.rows = static_cast<std::uint32_t>(rect.height());
  fill.value = value;
  const std::uint32_t at = commands_.Append(fill);
  Patch(destination, offset, at, offsetof(FillRectCommand, address), Slot::kDestination);
  return true;
}

bool SurfaceCommandWriter::Delay(std::uint64_t duration_ns, std::uint64_t hangs) {
  if (!commands_.Fits<DelayCommand>()) return false;
  DelayCommand delay;
  delay.duration_ns = duration_ns;
  delay.hangs = hangs;
  commands_.Append(delay);
  return true;
}

void SurfaceCommandWriter::Patch(const SurfaceReference& surface, std::uint64_t offset, std::uint32_t command,
                                 std::uint32_t member, Slot slot) {
  *patch_ = {};
  patch_->AllocationIndex = surface.list_index;
  patch_->SlotId = static_cast<UINT>(slot) & 0xFFFFFF;
  patch_->AllocationOffset = static_cast<UINT>(offset);  // a surface ends below 4 GiB: 16384 * 8 bytes * 16384 rows is 2 GiB
  patch_->PatchOffset = command + member;
  patch_->SplitOffset = command;
  ++patch_;
}

}  // namespace tandem::processor
