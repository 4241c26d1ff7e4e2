// The compute pipeline that does what color/blit.h says, and what one recording of it needs.
#pragma once

#include <cstdint>
#include <memory>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/kmd/blit_plan.h"
#include "drivers/vulkan/kmd/gpu.h"

namespace tandem::vulkan {

// Thread-safe.
class BlitShader {
 public:
  // kUnsupported, kOutOfMemory.
  [[nodiscard]] static Result<std::unique_ptr<BlitShader>> Create(const Gpu& gpu);
  ~BlitShader();
  BlitShader(const BlitShader&) = delete;
  BlitShader& operator=(const BlitShader&) = delete;

  // Both sides have buffers that this device's shaders can have as they are.
  [[nodiscard]] bool Takes(const BlitPlan& plan) const;
  // Writes the dispatches between barriers of the compute stage; buffers are in use by nobody else. The answer lives as long as
  // the recording. kOutOfMemory.
  [[nodiscard]] Result<std::shared_ptr<void>> Record(VkCommandBuffer commands, const BlitPlan& plan) const;

 private:
  explicit BlitShader(const Gpu& gpu) : gpu_(gpu) {}
  struct Job;
  Result<void> BindJob(Job& job, const BlitPlan& plan) const;

  const Gpu& gpu_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace tandem::vulkan
