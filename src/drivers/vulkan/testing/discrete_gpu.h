// A software device that reports itself as a discrete GPU, so that code for discrete GPUs runs without one.
#pragma once

#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan::testing {

// Only the borrower sees these functions; the owner keeps the real ones. One at a time in a process.
[[nodiscard]] BorrowedDevice AsDiscreteGpu(const BorrowedDevice& real);

}  // namespace tandem::vulkan::testing
