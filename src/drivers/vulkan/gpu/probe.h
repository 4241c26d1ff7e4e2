// Tests with patterns whether the device really accesses system pages, because drivers' own claims are not reliable.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <vulkan/vulkan_core.h>

#include "base/clock.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/gpu/private_data.h"

namespace tandem::vulkan {

// Bytes of the patterns: large enough for timing, small enough for a slow device.
inline constexpr std::uint64_t kProbeBytes = 1ULL << 20;

struct WayProbe {
  ImportState state = ImportState::kUntested;
  VkResult result = VK_SUCCESS;  // of the refused call
  std::int64_t write_ns = 0;     // the GPU wrote kProbeBytes of the pattern once more; 0: the CPU did not see it
  std::int64_t read_ns = 0;
  std::string reason;  // a sentence
};

struct ImportProbe {
  std::array<WayProbe, kPageWays> ways;  // by PageWay
  // A picture that the GPU drew into an image over a dma-buf stood in its rows, and nothing between them was touched.
  WayProbe dma_buf_image;

  [[nodiscard]] const WayProbe& Of(PageWay way) const { return ways[static_cast<std::size_t>(way)]; }
  [[nodiscard]] bool Works(PageWay way) const { return Of(way).state == ImportState::kWorks; }
  // One sentence for each way to import pages.
  [[nodiscard]] std::string Summary() const;
};

// Blocks for some milliseconds, at most some seconds. Submits to the copy queue.
[[nodiscard]] ImportProbe ProbeImports(Gpu& gpu, Clock& clock);

}  // namespace tandem::vulkan
