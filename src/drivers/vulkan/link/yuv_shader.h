// color/yuv.h in compute shaders: a picture in one buffer, its planes in another. Bits equal the processor's.
#pragma once

#include <cstdint>
#include <memory>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "color/blit.h"
#include "color/yuv.h"
#include "drivers/vulkan/gpu/compute_pipeline.h"
#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan {

// Positions are bytes from the range's beginning, pitches are bytes; all are multiples of 4.
struct ShaderPicture {
  VkDescriptorBufferInfo buffer{};
  std::uint64_t first = 0;
  std::uint64_t pitch = 0;
  bool red_first = false;                                 // R8G8B8A8 instead of B8G8R8A8
  color::Rotation rotation = color::Rotation::kIdentity;  // rotation of the picture in memory
};

// A row of samples takes whole words; bytes after its last sample become 0.
struct ShaderPlanes {
  VkDescriptorBufferInfo buffer{};
  color::YuvLayout layout = color::YuvLayout::kNv12;
  std::uint64_t y = 0;
  std::uint64_t u = 0;  // for kNv12: the chroma pairs
  std::uint64_t v = 0;
  std::uint64_t y_pitch = 0;
  std::uint64_t chroma_pitch = 0;
};

struct YuvShaderJob {
  ShaderPicture picture;
  ShaderPlanes planes;
  std::uint32_t width = 0;  // coded picture's; a part of a surface begins at even coordinates
  std::uint32_t height = 0;
  color::YuvCoding coding;
};

// Thread-safe. Recordings must be made between barriers of the compute stage; the results must live as long as the recording.
class YuvShader {
 public:
  // kUnsupported.
  [[nodiscard]] static Result<std::unique_ptr<YuvShader>> Create(const Gpu& gpu);

  // True if shaders can access the job's positions, pitches and ranges.
  [[nodiscard]] bool Takes(const YuvShaderJob& job) const;
  // kOutOfMemory.
  [[nodiscard]] Result<std::shared_ptr<void>> RecordEncode(VkCommandBuffer commands, const YuvShaderJob& job,
                                                           YuvPasses passes) const;
  [[nodiscard]] Result<std::shared_ptr<void>> RecordDecode(VkCommandBuffer commands, const YuvShaderJob& job,
                                                           color::ChromaFilter filter) const;

 private:
  YuvShader(const Gpu& gpu, std::unique_ptr<ComputePipeline> encode, std::unique_ptr<ComputePipeline> decode);

  const Gpu& gpu_;
  const std::unique_ptr<ComputePipeline> encode_;
  const std::unique_ptr<ComputePipeline> decode_;
};

}  // namespace tandem::vulkan
