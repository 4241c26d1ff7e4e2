// The Vulkan commands that bring a frame from shared rows into an image of a window system's swap chain.
#pragma once

#include <vector>

#include <vulkan/vulkan_core.h>

#include "drivers/vulkan/display/frame_copier.h"

namespace tandem::vulkan {

// The rectangles of `command`, or the frame if the target wants it whole, as far as they lie inside the window, whose extent need
// not be the primary's.
[[nodiscard]] std::vector<VkBufferImageCopy> FrameRegions(const CopyCommand& command, const FrameTarget& target);

// Leaves the image in PRESENT_SRC_KHR. `conversion` is an image of `target.format.convert_from` as large as the primary, or
// VK_NULL_HANDLE where the bits are copied as they are.
void RecordFrame(const Dispatch& vk, VkCommandBuffer commands, const CopyCommand& command, const FrameTarget& target,
                 VkImage conversion);

}  // namespace tandem::vulkan
