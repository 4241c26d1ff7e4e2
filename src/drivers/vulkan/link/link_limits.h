// The shaders that code slices of a link surface, and the slices that none of them takes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "drivers/vulkan/gpu/compute_pipeline.h"
#include "drivers/vulkan/link/link_room.h"
#include "drivers/vulkan/link/picture_convert.h"

namespace tandem::vulkan {

// The constants of link_send.comp.
struct SendConstants {
  std::uint32_t from, to, row_count, room;
};
static_assert(sizeof(SendConstants) == 16);

struct LinkPipelines {
  std::unique_ptr<YuvShader> yuv;  // null in a build without 4:2:0
  std::unique_ptr<PictureConvert> convert;
  std::unique_ptr<FixedRateShader> fixed;
  std::unique_ptr<TileEncodeShader> tile_encode;
  std::unique_ptr<TileShader> tile_decode;
  std::unique_ptr<ComputePipeline> send;
};
// kUnsupported.
[[nodiscard]] Result<LinkPipelines> CreateLinkPipelines(const Gpu& gpu);

// A sentence that says why shaders cannot code something; empty when they can. Everything that it is given outlives it.
class LinkLimits {
 public:
  LinkLimits(const Gpu& gpu, const LinkPipelines& pipelines, const LinkRoom& room)
      : gpu_(gpu), pipelines_(pipelines), room_(room) {}

  [[nodiscard]] std::string RefusalOf(const BlitSide& surface) const;
  // Precondition: the room was made for the job's picture, as for RefusalOfNv12.
  [[nodiscard]] std::string RefusalOf(const LinkJob& job, bool encodes) const;
  // For NV12 in a surface that other adapters read. `left` to `right` are the columns of the part's rows, equal in picture and
  // surface.
  [[nodiscard]] std::string RefusalOfNv12(const LinkJob& job, std::uint32_t left, std::uint32_t right) const;

 private:
  const Gpu& gpu_;
  const LinkPipelines& pipelines_;
  const LinkRoom& room_;
};

}  // namespace tandem::vulkan
