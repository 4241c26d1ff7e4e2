// The part of LinkRecorder that says what each shader gets, and which slices none takes.
#include <algorithm>

#include <fmt/core.h>

#include "codec/tiles/tile_format.h"
#include "color/nv12.h"
#include "drivers/vulkan/link/link_job.h"
#include "drivers/vulkan/link/link_recorder.h"
#include "link/surface/link_parts.h"
#include "link/surface/link_slices.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {
namespace {

// What every device allows a storage buffer to begin at.
constexpr std::uint64_t kStorageAlignment = 256;

bool IsRedFirst(color::Format format) {
  return format == color::Format::kR8G8B8A8Unorm || format == color::Format::kR8G8B8A8UnormSrgb;
}

VkDescriptorBufferInfo All(const LocalMemory& memory, std::uint64_t bytes) { return {memory.At(0).buffer, 0, bytes}; }

}  // namespace

std::string LinkRecorder::RefusalOf(const BlitSide& surface) const {
  const Rows& rows = surface.rows;
  if (rows.buffer == VK_NULL_HANDLE || !rows.storage || rows.offset % kStorageAlignment != 0)
    return "shaders cannot have the link surface's pages";
  const std::uint64_t bytes = link::LinkSurfaceBytes(surface.width, surface.height);
  return bytes <= gpu_.max_storage_bytes()
             ? std::string()
             : fmt::format("the link surface has {} bytes, shaders reach {}", bytes, gpu_.max_storage_bytes());
}

std::string LinkRecorder::RefusalOf(const LinkJob& job, bool encodes) const {
  const link::LinkEncoding encoding = job.part.encoding;
  if (encoding == link::LinkEncoding::kYuv420Tiles) return "there is no shader for encoding 420-tiles";
  if (encodes && job.part.budget != 0) return "shaders keep no limit to a frame's bytes";
  const bool tiles = encoding == link::LinkEncoding::kLossless;
  const color::Format linked = link::LinkedFormat(job.picture.format, job.part.colors);
  const bool tens = link::LinkBits(encoding, linked) > 8;
  if (link::LinkBits(link::LinkEncoding::kLossless, linked) > 8 && (tiles || job.part.probes))
    return "there is no shader for tiles of ten bits";
  if (tens && encoding == link::LinkEncoding::kYuv420) return "there is no shader for 4:2:0 of ten bits";
  if (tens && linked != job.picture.format) return "there is no shader for half floats that become ten bits";
  if (IsTurned(job) && Converts(job, encodes)) return "there is no shader that turns what it brings to ten bits";
  if (encodes && job.part.colors.dithers && Converts(job, encodes)) return "there is no shader that dithers";
  if (std::string why = RefusalOf(job.surface); !why.empty()) return why;
  if (const std::uint64_t most = std::max(frame_bytes_, payload_bytes_); most > gpu_.max_storage_bytes())
    return fmt::format("the picture takes {} bytes, shaders reach {}", most, gpu_.max_storage_bytes());
  const Rows& picture = job.picture.rows;
  const bool by_rows = job.image == nullptr || !encodes;
  if (by_rows && (picture.buffer == VK_NULL_HANDLE || !picture.storage || picture.offset % kStorageAlignment != 0))
    return "shaders cannot have the picture's rows";
  if (by_rows && job.image == nullptr && picture.bounce != nullptr) return "the picture's pages are not imported";
  const LinkJob coded = CodedOf(job, encodes);
  if (encoding == link::LinkEncoding::kYuv420) {
    if (yuv_ == nullptr) return "4:2:0 is not in the build";
    if constexpr (color::kHasYuv420) {
      if (!yuv_->Takes(YuvJobOf(coded)))
        return fmt::format("rows of {} pixels: in 4:2:0 shaders take multiples of 4", job.picture.width);
    }
  }
  if (!tiles && !IsFixedRate(job)) return {};
  const bool taken = !tiles    ? fixed_->Takes(FixedJobOf(coded))
                     : encodes ? tile_encode_->Takes(TileJobOf(coded))
                               : tile_decode_->Takes(DecodeJobOf(coded));
  return taken ? std::string()
               : fmt::format("slices of {} x {} pixels are not the shader's", job.picture.width, job.part.row_count);
}

std::string LinkRecorder::RefusalOfNv12(const LinkJob& job, std::uint32_t left, std::uint32_t right) const {
  if (!link::HasEightBits(job.picture.format))
    return fmt::format("there is no shader for pictures of format {} to NV12", color::ToString(job.picture.format));
  const Rows& surface = job.surface.rows;
  if (surface.bounce != nullptr || (job.image == nullptr && job.picture.rows.bounce != nullptr)) return "pages are not imported";
  if (surface.buffer == VK_NULL_HANDLE || !surface.storage || surface.offset % kStorageAlignment != 0)
    return "shaders cannot have the pages of NV12";
  if (left % 4 != 0 || (right % 4 != 0 && right != job.surface.width))
    return fmt::format("columns {} to {} of NV12: shaders take multiples of 4", left, right);
  if constexpr (color::kHasYuv420) {
    if (yuv_->Takes(Nv12JobOf(CodedOf(job, true), left, right))) return {};
  }
  return fmt::format("shaders do not reach all of NV12 of {} x {} pixels", job.surface.width, job.surface.height);
}

VkDescriptorBufferInfo LinkRecorder::PictureBuffer(const LinkJob& coded, const Rows& rows) const {
  return {rows.buffer, rows.offset, BytesOf(coded)};
}

VkDescriptorBufferInfo LinkRecorder::SurfaceBuffer(const LinkJob& coded) const {
  const BlitSide& surface = coded.surface;
  return {surface.rows.buffer, surface.rows.offset, link::LinkSurfaceBytes(surface.width, surface.height)};
}

LinkJob LinkRecorder::CodedOf(const LinkJob& job, bool encodes) const {
  LinkJob coded = job;
  if (encodes) coded.picture.rows = frame_->At(0);
  if (!Converts(job, encodes)) return coded;
  coded.picture.rows = converted_->At(0);
  coded.picture.format = color::Format::kB8G8R8A8Unorm;
  coded.picture.pitch = job.picture.width * kPixelBytes;
  return coded;
}

Result<RecordedWork::Keep> LinkRecorder::Convert(VkCommandBuffer commands, const LinkJob& job, bool encodes) const {
  if (!Converts(job, encodes)) return RecordedWork::Keep();
  const LinkJob coded = CodedOf(job, encodes);
  const Rows rows = encodes ? frame_->At(0) : job.picture.rows;
  const ConvertedRows wide{PictureBuffer(job, rows), FirstByte(job), job.picture.pitch};
  const ConvertedRows narrow{PictureBuffer(coded, coded.picture.rows), FirstByte(coded), coded.picture.pitch};
  PictureConvertJob convert;
  convert.conversion = !encodes          ? PictureConversion::kEightToTen
                       : HasTenBits(job) ? PictureConversion::kTenToEight
                                         : PictureConversion::kHalfToEight;
  convert.from = encodes ? wide : narrow;
  convert.to = encodes ? narrow : wide;
  convert.width = job.picture.width;
  convert.height = job.part.row_count;
  Between(commands);
  return convert_->Record(commands, convert);
}

TileEncodeJob LinkRecorder::TileJobOf(const LinkJob& coded) const {
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
TileShaderJob LinkRecorder::DecodeJobOf(const LinkJob& coded) const {
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

YuvShaderJob LinkRecorder::YuvJobOf(const LinkJob& coded) const {
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

YuvShaderJob LinkRecorder::Nv12JobOf(const LinkJob& coded, std::uint32_t left, std::uint32_t right) const {
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

FixedRateJob LinkRecorder::FixedJobOf(const LinkJob& coded) const {
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
