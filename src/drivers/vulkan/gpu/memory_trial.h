// Measures the device's own memory, and whether copies over the link run beside other work of the device.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/result.h"
#include "drivers/vulkan/gpu/gpu.h"

namespace tandem::vulkan {

// Copies within the device's own memory, the fastest of several. Each byte is read and written once.
[[nodiscard]] Result<std::uint64_t> TimeLocalCopies(Gpu& gpu, Clock& clock);

// A copy to system memory on the copies' queue, and copies within the device's memory on the render queue that take about as
// long: each alone, then both at once. The shortest of several runs.
struct OverlapTimes {
  bool separate_queues = false;  // false: the device has one queue for both, so nothing can overlap
  std::int64_t out_ns = 0;
  std::int64_t work_ns = 0;
  std::int64_t both_ns = 0;

  // Share of the shorter one's time that the other one hides, 0 to 1.
  [[nodiscard]] double Share() const;
};
// Blocks for some tenths of a second, and longer on slow devices. kOutOfMemory, kDeviceLost, kTimeout.
[[nodiscard]] Result<OverlapTimes> TimeOverlap(Gpu& gpu, Clock& clock);

}  // namespace tandem::vulkan
