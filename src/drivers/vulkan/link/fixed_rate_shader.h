// Encodings whose size is the extent's alone in compute shaders: codec/packed/packed_rgb.h, codec/bc1/bc1.h and pixels as they
// are. The same bits as on the processor.
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
  kPlain,  // only decoded, to be turned
};

// Rows of four bytes a pixel, and what they become: from the beginning of the slice's range, as the codec has it without padding.
struct FixedRateJob {
  FixedRate rate = FixedRate::kPacked24;
  VkDescriptorBufferInfo picture{};
  std::uint64_t picture_first = 0;  // bytes of the range, a multiple of 4, as the pitch
  std::uint64_t picture_pitch = 0;
  bool red_first = false;          // of kBc1: R8G8B8A8, else B8G8R8A8
  VkDescriptorBufferInfo slice{};  // whole words; of those that are packed one word more than there are
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  color::Rotation rotation = color::Rotation::kIdentity;  // how the picture stands in memory, where it is decoded
};

// Thread-safe.
class FixedRateShader {
 public:
  // kUnsupported, kOutOfMemory.
  [[nodiscard]] static Result<std::unique_ptr<FixedRateShader>> Create(const Gpu& gpu);

  // Whether the job's places, pitches and ranges are what shaders can have.
  [[nodiscard]] bool Takes(const FixedRateJob& job) const;
  // For between barriers of the compute stage. The answers live as long as the recording. Of the slice's last word bytes behind
  // its end become 0. kOutOfMemory.
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
