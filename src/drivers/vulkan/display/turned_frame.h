// Rotates a frame for a target whose path has an offset; the processor rotates it into rows that the primary owns.
#pragma once

#include "base/result.h"
#include "color/blit.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/gpu/gpu.h"

namespace tandem::vulkan {

// Rotates the whole frame of `command` counter-clockwise, and returns a copy between two surfaces of the rotated extent. Parts
// of the primary that the frame does not cover are black. Waits for the frame's rendering. The head's thread; nothing may read
// the earlier rotated rows any more. kOutOfMemory, kUnsupported if the processor does not see the frame.
[[nodiscard]] Result<CopyCommand> TurnFrame(Gpu& gpu, const CopyCommand& command, color::Rotation offset);

}  // namespace tandem::vulkan
