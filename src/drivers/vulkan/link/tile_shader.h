// codec/tiles/tile_decoder.h in a compute shader: slices in one buffer, the frame in another. Bits equal the processor's.
#pragma once

#include <cstdint>
#include <memory>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "codec/tiles/tile_format.h"
#include "drivers/vulkan/gpu/compute_pipeline.h"

namespace tandem::vulkan {

// Positions are bytes from the range's beginning, pitches are bytes; all are multiples of 4.
struct TileShaderJob {
  VkDescriptorBufferInfo slice{};
  std::uint64_t slice_first = 0;
  codec::TileSliceHeader header{};  // from codec::CheckTileSlice
  VkDescriptorBufferInfo frame{};
  std::uint64_t frame_first = 0;
  std::uint64_t frame_pitch = 0;
  bool red_first = false;  // for content with colours: R8G8B8A8 instead of B8G8R8A8
};

// Thread-safe.
class TileShader {
 public:
  // kUnsupported.
  [[nodiscard]] static Result<std::unique_ptr<TileShader>> Create(const Gpu& gpu);

  // True if shaders can access the job's positions, pitches and ranges.
  [[nodiscard]] bool Takes(const TileShaderJob& job) const;
  // Decodes over the slice's reference frame. Must be called between barriers of the compute stage. The result must live as
  // long as the recording. kOutOfMemory.
  [[nodiscard]] Result<std::shared_ptr<void>> RecordDecode(VkCommandBuffer commands, const TileShaderJob& job) const;

 private:
  TileShader(const Gpu& gpu, std::unique_ptr<ComputePipeline> decode);

  const Gpu& gpu_;
  const std::unique_ptr<ComputePipeline> decode_;
};

}  // namespace tandem::vulkan
