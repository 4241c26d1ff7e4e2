// A software device that reports its own memory as invisible to the processor, as on most graphics cards.
#pragma once

#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan::testing {

// Adds a memory type that is only device-local to the device; the real types are no longer device-local. Only the borrower sees
// it; the owner keeps the real types. One at a time in a process.
[[nodiscard]] BorrowedDevice SplitMemory(const BorrowedDevice& real);

}  // namespace tandem::vulkan::testing
