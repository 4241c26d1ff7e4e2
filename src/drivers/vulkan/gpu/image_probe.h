// Tests with a picture whether the device draws into an image over a dma-buf where the modifier says, and nowhere else.
#pragma once

#include <cstddef>
#include <span>

#include "base/unique_fd.h"
#include "drivers/vulkan/gpu/probe.h"

namespace tandem::vulkan {

// `pages` are the memfd's from its first byte on. Blocks for some milliseconds. Submits to the copy queue.
[[nodiscard]] WayProbe ProbeImage(Gpu& gpu, const UniqueFd& memfd, std::span<std::byte> pages);

}  // namespace tandem::vulkan
