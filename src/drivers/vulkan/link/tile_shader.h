// codec/tiles/tile_decoder.h in a compute shader: slices in one buffer, the frame in another. The same bits as on the processor.
#pragma once

#include <cstdint>
#include <memory>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "codec/tiles/tile_format.h"
#include "drivers/vulkan/gpu/compute_pipeline.h"

namespace tandem::vulkan {

// Places are bytes from the beginning of the buffer's range, pitches bytes; all multiples of 4.
struct TileShaderJob {
  VkDescriptorBufferInfo slice{};
  std::uint64_t slice_first = 0;
  codec::TileSliceHeader header{};  // of codec::CheckTileSlice
  VkDescriptorBufferInfo frame{};
  std::uint64_t frame_first = 0;
  std::uint64_t frame_pitch = 0;
  bool red_first = false;  // of content with colours: R8G8B8A8, else B8G8R8A8
};

// Thread-safe.
class TileShader {
 public:
  // kUnsupported.
  [[nodiscard]] static Result<std::unique_ptr<TileShader>> Create(const Gpu& gpu);

  // Whether the job's places, pitches and ranges are what shaders can have.
  [[nodiscard]] bool Takes(const TileShaderJob& job) const;
  // Decodes over the frame that the slice refers to, for between barriers of the compute stage. The answer lives as long as the
  // recording. kOutOfMemory.
  [[nodiscard]] Result<std::shared_ptr<void>> RecordDecode(VkCommandBuffer commands, const TileShaderJob& job) const;

 private:
  TileShader(const Gpu& gpu, std::unique_ptr<ComputePipeline> decode);

  const Gpu& gpu_;
  const std::unique_ptr<ComputePipeline> decode_;
};

}  // namespace tandem::vulkan
