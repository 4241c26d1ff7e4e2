// Encodings whose size depends only on the extent, in compute shaders: codec/packed/packed_rgb.h, codec/bc1/bc1.h and plain
// pixels. Their bits equal the processor's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "color/blit.h"
#include "drivers/vulkan/gpu/compute_pipeline.h"
#include "drivers/vulkan/gpu/host_buffer.h"

namespace tandem::vulkan {

enum class FixedRate : std::uint8_t {
  kPacked24,
  kPacked30,
  kBc1,
  kPlain,  // only decoded, to be rotated
};

// Rows of four bytes a pixel, and their coded form in the codec's layout without padding, from the slice range's beginning.
struct FixedRateJob {
  FixedRate rate = FixedRate::kPacked24;
  VkDescriptorBufferInfo picture{};
  std::uint64_t picture_first = 0;  // bytes from the range's beginning, a multiple of 4, as is the pitch
  std::uint64_t picture_pitch = 0;
  bool red_first = false;          // for kBc1: R8G8B8A8 instead of B8G8R8A8
  VkDescriptorBufferInfo slice{};  // whole words; packed pixels need one word more than their bytes
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  color::Rotation rotation = color::Rotation::kIdentity;  // rotation of a decoded picture in memory
};

// Thread-safe.
class FixedRateShader {
 public:
  // kUnsupported, kOutOfMemory.
  [[nodiscard]] static Result<std::unique_ptr<FixedRateShader>> Create(const Gpu& gpu);

  // True if shaders can access the job's positions, pitches and ranges.
  [[nodiscard]] bool Takes(const FixedRateJob& job) const;
  // Must be called between barriers of the compute stage. The results must live as long as the recording. Bytes after the
  // slice's end in its last word become 0. kOutOfMemory.
  [[nodiscard]] Result<std::shared_ptr<void>> RecordEncode(VkCommandBuffer commands, const FixedRateJob& job) const;
  [[nodiscard]] Result<std::shared_ptr<void>> RecordDecode(VkCommandBuffer commands, const FixedRateJob& job) const;

 private:
  struct Steps {
    std::unique_ptr<ComputePipeline> pack, unpack, encode_blocks, decode_blocks;
  };
  FixedRateShader(const Gpu& gpu, Steps steps, std::unique_ptr<HostBuffer> levels);

  const Gpu& gpu_;
  const Steps steps_;
  const std::unique_ptr<HostBuffer> levels_;
};

}  // namespace tandem::vulkan
