// Records the Vulkan commands that copy a frame from shared rows into an image of a window system's swap chain.
#pragma once

#include <vector>

#include <vulkan/vulkan_core.h>

#include "drivers/vulkan/display/frame_copier.h"

namespace tandem::vulkan {

// The rectangles of `command`, or the whole frame if the target wants it, clipped to the window. The window's extent may differ
// from the primary's.
[[nodiscard]] std::vector<VkBufferImageCopy> FrameRegions(const CopyCommand& command, const FrameTarget& target);

// Leaves the image in PRESENT_SRC_KHR. `conversion` is an image of `target.format.convert_from` as large as the primary;
// VK_NULL_HANDLE copies the bits unchanged.
void RecordFrame(const Dispatch& vk, VkCommandBuffer commands, const CopyCommand& command, const FrameTarget& target,
                 VkImage conversion);

}  // namespace tandem::vulkan
