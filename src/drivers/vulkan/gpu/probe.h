// Tests with patterns whether the device really accesses system pages, because drivers' own claims are not reliable.
#pragma once

#include <cstdint>
#include <string>

#include <vulkan/vulkan_core.h>

#include "base/clock.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/gpu/private_data.h"

namespace tandem::vulkan {

// Bytes of the patterns: large enough for timing, small enough for a slow device.
inline constexpr std::uint64_t kProbeBytes = 1ULL << 20;

struct ImportProbe {
  ImportState anonymous = ImportState::kUntested;
  ImportState memfd = ImportState::kUntested;
  VkResult anonymous_result = VK_SUCCESS;  // result of the refused call
  VkResult memfd_result = VK_SUCCESS;
  std::int64_t gpu_write_ns = 0;  // for anonymous pages, else for a memfd's
  std::int64_t gpu_read_ns = 0;
  std::string reason;  // one sentence
};

// Blocks for some milliseconds, at most some seconds. Submits to the copy queue.
[[nodiscard]] ImportProbe ProbeImports(Gpu& gpu, Clock& clock);

}  // namespace tandem::vulkan
