#include "drivers/vulkan/link/link_room.h"

#include <algorithm>
#include <utility>

#include "codec/tiles/tile_format.h"
#include "color/nv12.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {
namespace {

bool IsRedFirst(color::Format format) {
  return format == color::Format::kR8G8B8A8Unorm || format == color::Format::kR8G8B8A8UnormSrgb;
}

VkDescriptorBufferInfo All(const LocalMemory& memory, std::uint64_t bytes) { return {memory.At(0).buffer, 0, bytes}; }

Result<void> Grow(const Gpu& gpu, std::unique_ptr<LocalMemory>& memory, std::uint64_t& size, std::uint64_t wanted, bool& fresh) {
  if (wanted <= size) return {};
  auto made = LocalMemory::Create(gpu, 0, wanted);
  if (!made.ok()) return std::move(made).error();
  memory = *std::move(made);
  size = wanted;
  fresh = true;
  return {};
}

}  // namespace

Result<bool> LinkRoom::Make(const Gpu& gpu, const BlitSide& picture) {
  const auto [width, height] = std::pair(picture.width, picture.height);
  const std::uint32_t tile_rows = codec::TileRows(height);
  const std::uint64_t pixels = std::uint64_t{width} * height * kPixelBytes;
  const std::uint64_t payload =
      std::max(WholeWords(codec::TileSliceCapacity(codec::TileContent::kBgrx8, width, tile_rows)), pixels);
  const std::uint64_t converted = link::HasEightBits(picture.format) ? 0 : pixels;
  bool fresh = false;
  if (auto grown = Grow(gpu, frame_, frame_bytes_, std::uint64_t{picture.pitch} * height, fresh); !grown.ok())
    return std::move(grown).error();
  if (auto grown = Grow(gpu, converted_, converted_bytes_, converted, fresh); !grown.ok()) return std::move(grown).error();
  if (auto grown = Grow(gpu, payload_, payload_bytes_, payload, fresh); !grown.ok()) return std::move(grown).error();
  if (auto grown = Grow(gpu, records_, record_bytes_, TileRecordBytes(width, tile_rows), fresh); !grown.ok())
    return std::move(grown).error();
  return fresh;
}

VkDescriptorBufferInfo LinkRoom::payload() const { return All(*payload_, payload_bytes_); }

std::uint64_t LinkRoom::LargestBytes() const { return std::max(frame_bytes_, payload_bytes_); }

LinkJob LinkRoom::CodedOf(const LinkJob& job, bool encodes) const {
  LinkJob coded = job;
  if (encodes) coded.picture.rows = frame_->At(0);
  if (!Converts(job, encodes)) return coded;
  coded.picture.rows = converted_->At(0);
  coded.picture.format = color::Format::kB8G8R8A8Unorm;
  coded.picture.pitch = job.picture.width * kPixelBytes;
  return coded;
}

TileEncodeJob LinkRoom::TileJobOf(const LinkJob& coded) const {
  TileEncodeJob tiles;
  tiles.width = coded.picture.width;
  tiles.height = coded.part.row_count;
  tiles.row_count = codec::TileRows(coded.part.row_count);
  tiles.frame = {PictureBuffer(coded, coded.picture.rows), FirstByte(coded), coded.picture.pitch};
  if (coded.compares) tiles.reference = {PictureBuffer(coded, coded.reference), FirstByte(coded), coded.picture.pitch};
  tiles.records = All(*records_, record_bytes_);
  tiles.slice = All(*payload_, payload_bytes_);
  return tiles;
}

// The bytes that a slice has are those of its place: what it says itself is not known when this is recorded, and not believed.
TileShaderJob LinkRoom::DecodeJobOf(const LinkJob& coded) const {
  TileShaderJob tiles;
  tiles.slice = All(*payload_, payload_bytes_);
  tiles.header.width = static_cast<std::uint16_t>(coded.picture.width);
  tiles.header.height = static_cast<std::uint16_t>(coded.part.row_count);
  tiles.header.row_count = static_cast<std::uint16_t>(codec::TileRows(coded.part.row_count));
  tiles.header.content = static_cast<std::uint8_t>(codec::TileContent::kBgrx8);
  tiles.header.bytes = static_cast<std::uint32_t>(TileBytes(coded.part, coded.picture.width));
  tiles.frame = PictureBuffer(coded, coded.picture.rows);
  tiles.frame_first = FirstByte(coded);
  tiles.frame_pitch = coded.picture.pitch;
  return tiles;
}

YuvShaderJob LinkRoom::YuvJobOf(const LinkJob& coded) const {
  const link::LinkYuvPlaces places = link::LinkYuvPlacesOf(coded.picture.width, coded.part.row_count);
  YuvShaderJob yuv;
  yuv.picture.buffer = PictureBuffer(coded, coded.picture.rows);
  yuv.picture.first = FirstByte(coded);
  yuv.picture.pitch = coded.picture.pitch;
  yuv.picture.red_first = IsRedFirst(coded.picture.format);
  yuv.picture.rotation = coded.rotation;
  yuv.planes.buffer = All(*payload_, payload_bytes_);
  yuv.planes.u = places.chroma;
  yuv.planes.y_pitch = places.y_pitch;
  yuv.planes.chroma_pitch = places.chroma_pitch;
  yuv.width = coded.picture.width;
  yuv.height = coded.part.row_count;
  yuv.coding = coded.part.colors.yuv.coding;
  return yuv;
}

YuvShaderJob LinkRoom::Nv12JobOf(const LinkJob& coded, std::uint32_t left, std::uint32_t right) const {
  const BlitSide& surface = coded.surface;
  const std::uint64_t pitch = surface.pitch;
  const std::uint32_t top = coded.part.first_row;
  YuvShaderJob yuv = YuvJobOf(coded);
  yuv.picture.first += std::uint64_t{kPixelBytes} * left;
  yuv.planes.buffer = {surface.rows.buffer, surface.rows.offset, pitch * color::Nv12Rows(surface.height)};
  yuv.planes.y = top * pitch + left;
  yuv.planes.u = yuv.planes.y + pitch * color::Nv12ChromaDistance(surface.height, top);
  yuv.planes.y_pitch = yuv.planes.chroma_pitch = pitch;
  yuv.width = right - left;
  return yuv;
}

FixedRateJob LinkRoom::FixedJobOf(const LinkJob& coded) const {
  FixedRateJob fixed;
  fixed.rate = coded.part.encoding == link::LinkEncoding::kPlain ? FixedRate::kPlain
               : !IsPacked(coded)                                ? FixedRate::kBc1
               : HasTenBits(coded)                               ? FixedRate::kPacked30
                                                                 : FixedRate::kPacked24;
  fixed.picture = PictureBuffer(coded, coded.picture.rows);
  fixed.picture_first = FirstByte(coded);
  fixed.picture_pitch = coded.picture.pitch;
  fixed.red_first = IsRedFirst(coded.picture.format);
  fixed.rotation = coded.rotation;
  fixed.slice = All(*payload_, payload_bytes_);
  fixed.width = coded.picture.width;
  fixed.height = coded.part.row_count;
  return fixed;
}

}  // namespace tandem::vulkan
