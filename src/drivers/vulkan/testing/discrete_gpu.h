// A software device that says it is a discrete GPU, so that what only these get is tried without one.
#pragma once

#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan::testing {

// Only the borrower's: the owner keeps the real one. One at a time in a process.
[[nodiscard]] BorrowedDevice AsDiscreteGpu(const BorrowedDevice& real);

}  // namespace tandem::vulkan::testing
