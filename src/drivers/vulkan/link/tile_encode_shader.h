// codec/tiles/tile_encoder.h without a budget in compute shaders. Bytes equal the processor's, except the header, which
// codec::SealTileSlice writes.
#pragma once

#include <cstdint>
#include <memory>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "codec/tiles/tile_encoder.h"
#include "drivers/vulkan/gpu/compute_pipeline.h"

namespace tandem::vulkan {

// Samples in a buffer. `first` counts bytes from the range's beginning; `first` and `pitch` are multiples of 4.
struct ShaderSamples {
  VkDescriptorBufferInfo buffer{};
  std::uint64_t first = 0;
  std::uint64_t pitch = 0;
};

struct TileEncodeJob {
  codec::TileContent content = codec::TileContent::kBgrx8;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t first_row = 0;  // in tiles
  std::uint32_t row_count = 0;
  bool red_first = false;  // for content with colours: R8G8B8A8 instead of B8G8R8A8
  ShaderSamples frame;
  ShaderSamples reference;           // no buffer: every tile is encoded
  VkDescriptorBufferInfo records{};  // TileRecordBytes() of scratch memory
  VkDescriptorBufferInfo slice{};    // codec::TileSliceCapacity() from slice_first on, a multiple of 4; also used by transfers
  std::uint64_t slice_first = 0;
};

[[nodiscard]] std::uint64_t TileRecordBytes(std::uint32_t width, std::uint32_t row_count);

// Thread-safe.
class TileEncodeShader {
 public:
  // kUnsupported.
  [[nodiscard]] static Result<std::unique_ptr<TileEncodeShader>> Create(const Gpu& gpu);

  // True if shaders can access the job's positions, pitches and ranges.
  [[nodiscard]] bool Takes(const TileEncodeJob& job) const;
  // Must be called between barriers of the compute and transfer stages. The result must live as long as the recording.
  // kOutOfMemory.
  [[nodiscard]] Result<std::shared_ptr<void>> Record(VkCommandBuffer commands, const TileEncodeJob& job) const;

 private:
  struct Steps {
    std::unique_ptr<ComputePipeline> encode, rows, place;
  };
  TileEncodeShader(const Gpu& gpu, Steps steps);

  const Gpu& gpu_;
  const Steps steps_;
};

}  // namespace tandem::vulkan
