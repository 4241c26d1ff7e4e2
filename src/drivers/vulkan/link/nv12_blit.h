// Encodes pictures to NV12 on the processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "drivers/vulkan/blit/blit_plan.h"

namespace tandem::vulkan {

[[nodiscard]] bool IsNv12Blit(const BlitCommand& command);

// Runs the rectangles, whose pixels must be available, and returns the bytes that must cross. `room` grows at first use.
[[nodiscard]] std::uint64_t RunNv12Blit(const BlitPlan& plan, std::vector<std::byte>& room);

}  // namespace tandem::vulkan
