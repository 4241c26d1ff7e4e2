// The compute pipelines for the blits of color/blit.h, and the resources of each recording.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/blit/blit_plan.h"
#include "drivers/vulkan/gpu/compute_pipeline.h"
#include "drivers/vulkan/gpu/gpu.h"

namespace tandem::vulkan {

// Thread-safe.
class BlitShader {
 public:
  // kUnsupported, kOutOfMemory.
  [[nodiscard]] static Result<std::unique_ptr<BlitShader>> Create(const Gpu& gpu);

  // True for a conversion of an image that shaders read where it is.
  [[nodiscard]] static bool ReadsImage(const BlitPlan& plan);
  // True if shaders of this device can use the buffers of both sides directly, or the source's image if it has no rows.
  [[nodiscard]] bool Takes(const BlitPlan& plan) const;
  // Records the dispatches between barriers of the compute stage; no other work may use the buffers. An image is in
  // SHADER_READ_ONLY_OPTIMAL. The result must live as
  // long as the recording. kOutOfMemory.
  [[nodiscard]] Result<std::shared_ptr<void>> Record(VkCommandBuffer commands, const BlitPlan& plan) const;

 private:
  BlitShader(const Gpu& gpu, std::unique_ptr<ComputePipeline> pipeline, std::unique_ptr<ComputePipeline> for_images)
      : gpu_(gpu), pipeline_(std::move(pipeline)), for_images_(std::move(for_images)) {}
  struct Job;
  Result<void> BindJob(VkCommandBuffer commands, Job& job, const BlitPlan& plan) const;

  const Gpu& gpu_;
  const std::unique_ptr<ComputePipeline> pipeline_;
  const std::unique_ptr<ComputePipeline> for_images_;
};

}  // namespace tandem::vulkan
