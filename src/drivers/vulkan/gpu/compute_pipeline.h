// A compute shader with storage buffers, an image and push constants, and the resources of each recording.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/gpu/gpu.h"

namespace tandem::vulkan {

// Thread-safe.
class ComputePipeline {
 public:
  // `buffers` bindings of set 0 from binding 0 on; `constant_bytes` of push constants, 0 to 128. kUnsupported.
  [[nodiscard]] static Result<std::unique_ptr<ComputePipeline>> Create(const Gpu& gpu, std::span<const std::uint32_t> code,
                                                                       std::uint32_t buffers, std::uint32_t constant_bytes);
  // The shader also reads an image, without a sampler, whose binding follows those of the buffers. kUnsupported.
  [[nodiscard]] static Result<std::unique_ptr<ComputePipeline>> CreateForImage(const Gpu& gpu,
                                                                               std::span<const std::uint32_t> code,
                                                                               std::uint32_t buffers);
  ~ComputePipeline();
  ComputePipeline(const ComputePipeline&) = delete;
  ComputePipeline& operator=(const ComputePipeline&) = delete;

  // Binds the shader and its buffers, one for each binding. `image` is in SHADER_READ_ONLY_OPTIMAL when the shader runs;
  // VK_NULL_HANDLE for shaders without one. The result must live as long as the recording. kOutOfMemory.
  [[nodiscard]] Result<std::shared_ptr<void>> Bind(VkCommandBuffer commands, std::span<const VkDescriptorBufferInfo> buffers,
                                                   VkImageView image) const;
  // `constants` has the constant_bytes of Create.
  void Push(VkCommandBuffer commands, const void* constants) const;

 private:
  ComputePipeline(const Gpu& gpu, std::uint32_t buffers, std::uint32_t images, std::uint32_t constant_bytes)
      : gpu_(gpu), buffers_(buffers), images_(images), constant_bytes_(constant_bytes) {}
  Result<void> Build(std::span<const std::uint32_t> code);
  [[nodiscard]] VkResult CreateLayouts();

  const Gpu& gpu_;
  const std::uint32_t buffers_;
  const std::uint32_t images_;  // 0 or 1
  const std::uint32_t constant_bytes_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace tandem::vulkan
