// Single work that is awaited outside the frame path: probes and first layouts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/gpu/gpu.h"

namespace tandem::vulkan {

// Uses the queue of one node. Not thread-safe. Its submitted work must have ended before destruction.
class OneShot {
 public:
  [[nodiscard]] static Result<std::unique_ptr<OneShot>> Create(Gpu& gpu, std::uint32_t node);
  ~OneShot();
  OneShot(const OneShot&) = delete;
  OneShot& operator=(const OneShot&) = delete;

  // Records, submits and waits. VK_TIMEOUT after `timeout_ns`. Abandons the gpu if the submitted work's end cannot be awaited.
  VkResult Run(const std::function<void(VkCommandBuffer)>& record, std::uint64_t timeout_ns);

 private:
  OneShot(Gpu& gpu, std::uint32_t node) : gpu_(gpu), node_(node) {}

  Gpu& gpu_;
  const std::uint32_t node_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::uint64_t value_ = 0;
};

}  // namespace tandem::vulkan
