#include "drivers/vulkan/link/link_limits.h"

#include <fmt/core.h>

#include "color/nv12.h"
#include "drivers/vulkan/link/link_send.comp.spv.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {
namespace {

// Every device allows a storage buffer to begin at multiples of this.
constexpr std::uint64_t kStorageAlignment = 256;

}  // namespace

Result<LinkPipelines> CreateLinkPipelines(const Gpu& gpu) {
  LinkPipelines pipelines;
  if constexpr (color::kHasYuv420) {
    auto yuv = YuvShader::Create(gpu);
    if (!yuv.ok()) return std::move(yuv).error();
    pipelines.yuv = *std::move(yuv);
  }
  auto convert = PictureConvert::Create(gpu);
  if (!convert.ok()) return std::move(convert).error();
  auto fixed = FixedRateShader::Create(gpu);
  if (!fixed.ok()) return std::move(fixed).error();
  auto encode = TileEncodeShader::Create(gpu);
  if (!encode.ok()) return std::move(encode).error();
  auto decode = TileShader::Create(gpu);
  if (!decode.ok()) return std::move(decode).error();
  auto send = ComputePipeline::Create(gpu, link_send_comp, 2, sizeof(SendConstants));
  if (!send.ok()) return std::move(send).error();
  pipelines.convert = *std::move(convert);
  pipelines.fixed = *std::move(fixed);
  pipelines.tile_encode = *std::move(encode);
  pipelines.tile_decode = *std::move(decode);
  pipelines.send = *std::move(send);
  return pipelines;
}

std::string LinkLimits::RefusalOf(const BlitSide& surface) const {
  const Rows& rows = surface.rows;
  if (rows.buffer == VK_NULL_HANDLE || !rows.storage || rows.offset % kStorageAlignment != 0)
    return "shaders cannot have the link surface's pages";
  const std::uint64_t bytes = link::LinkSurfaceBytes(surface.width, surface.height);
  return bytes <= gpu_.max_storage_bytes()
             ? std::string()
             : fmt::format("the link surface has {} bytes, shaders reach {}", bytes, gpu_.max_storage_bytes());
}

std::string LinkLimits::RefusalOf(const LinkJob& job, bool encodes) const {
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
  if (const std::uint64_t most = room_.LargestBytes(); most > gpu_.max_storage_bytes())
    return fmt::format("the picture takes {} bytes, shaders reach {}", most, gpu_.max_storage_bytes());
  const Rows& picture = job.picture.rows;
  const bool by_rows = job.image == nullptr || !encodes;
  if (by_rows && (picture.buffer == VK_NULL_HANDLE || !picture.storage || picture.offset % kStorageAlignment != 0))
    return "shaders cannot have the picture's rows";
  if (by_rows && job.image == nullptr && picture.bounce != nullptr) return "the picture's pages are not imported";
  const LinkJob coded = room_.CodedOf(job, encodes);
  if (encoding == link::LinkEncoding::kYuv420) {
    if (pipelines_.yuv == nullptr) return "4:2:0 is not in the build";
    if constexpr (color::kHasYuv420) {
      if (!pipelines_.yuv->Takes(room_.YuvJobOf(coded)))
        return fmt::format("rows of {} pixels: in 4:2:0 shaders take multiples of 4", job.picture.width);
    }
  }
  if (!tiles && !IsFixedRate(job)) return {};
  const bool taken = !tiles    ? pipelines_.fixed->Takes(room_.FixedJobOf(coded))
                     : encodes ? pipelines_.tile_encode->Takes(room_.TileJobOf(coded))
                               : pipelines_.tile_decode->Takes(room_.DecodeJobOf(coded));
  return taken ? std::string()
               : fmt::format("slices of {} x {} pixels are not the shader's", job.picture.width, job.part.row_count);
}

std::string LinkLimits::RefusalOfNv12(const LinkJob& job, std::uint32_t left, std::uint32_t right) const {
  if (!link::HasEightBits(job.picture.format))
    return fmt::format("there is no shader for pictures of format {} to NV12", color::ToString(job.picture.format));
  const Rows& surface = job.surface.rows;
  if (surface.bounce != nullptr || (job.image == nullptr && job.picture.rows.bounce != nullptr)) return "pages are not imported";
  if (surface.buffer == VK_NULL_HANDLE || !surface.storage || surface.offset % kStorageAlignment != 0)
    return "shaders cannot have the pages of NV12";
  if (left % 4 != 0 || (right % 4 != 0 && right != job.surface.width))
    return fmt::format("columns {} to {} of NV12: shaders take multiples of 4", left, right);
  if constexpr (color::kHasYuv420) {
    if (pipelines_.yuv->Takes(room_.Nv12JobOf(room_.CodedOf(job, true), left, right))) return {};
  }
  return fmt::format("shaders do not reach all of NV12 of {} x {} pixels", job.surface.width, job.surface.height);
}

}  // namespace tandem::vulkan
