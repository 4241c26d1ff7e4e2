// Converts pictures of more than eight bits a channel to B8G8R8A8 and back, in a compute shader. Bits equal the processor's.
#pragma once

#include <cstdint>
#include <memory>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/gpu/compute_pipeline.h"
#include "drivers/vulkan/gpu/host_buffer.h"

namespace tandem::vulkan {

enum class PictureConversion : std::uint32_t {
  kHalfToEight,  // linear R16G16B16A16 floats, encoded by the sRGB curve
  kTenToEight,   // R10G10B10A2
  kEightToTen,   // to R10G10B10A2, opaque
};

// Rows in a buffer. `first` counts bytes from the range's beginning; `first` and `pitch` are multiples of 4.
struct ConvertedRows {
  VkDescriptorBufferInfo buffer{};
  std::uint64_t first = 0;
  std::uint64_t pitch = 0;
};

struct PictureConvertJob {
  PictureConversion conversion = PictureConversion::kHalfToEight;
  ConvertedRows from;
  ConvertedRows to;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

// Thread-safe.
class PictureConvert {
 public:
  // kUnsupported, kOutOfMemory.
  [[nodiscard]] static Result<std::unique_ptr<PictureConvert>> Create(const Gpu& gpu);

  // Must be called between barriers of the compute stage; all rows lie within their ranges. The result must live as long as the
  // recording. kOutOfMemory.
  [[nodiscard]] Result<std::shared_ptr<void>> Record(VkCommandBuffer commands, const PictureConvertJob& job) const;

 private:
  PictureConvert(const Gpu& gpu, std::unique_ptr<ComputePipeline> pipeline, std::unique_ptr<HostBuffer> halves);

  const Gpu& gpu_;
  const std::unique_ptr<ComputePipeline> pipeline_;
  const std::unique_ptr<HostBuffer> halves_;
};

}  // namespace tandem::vulkan
