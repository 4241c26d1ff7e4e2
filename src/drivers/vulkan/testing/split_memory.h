// A device whose own memory the processor does not see, as on most graphics cards: a software device, told otherwise.
#pragma once

#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan::testing {

// The same device with one memory type more, device-local and nothing else; the real ones are not device-local any more. Only the
// borrower's: the owner keeps the real ones. One at a time in a process.
[[nodiscard]] BorrowedDevice SplitMemory(const BorrowedDevice& real);

}  // namespace tandem::vulkan::testing
