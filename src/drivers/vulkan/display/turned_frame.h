// A frame on its way to a target whose path has an offset: turned by the processor, in rows of the primary's own.
#pragma once

#include "base/result.h"
#include "color/blit.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/gpu/gpu.h"

namespace tandem::vulkan {

// The whole frame of `command` turned counter-clockwise, as a copy between two surfaces of the turned extent; what the frame does
// not cover of the primary is black. Waits for the frame's rendering. The head's thread; nothing reads the turned rows any more.
// kOutOfMemory, kUnsupported where the processor does not see the frame.
[[nodiscard]] Result<CopyCommand> TurnFrame(Gpu& gpu, const CopyCommand& command, color::Rotation offset);

}  // namespace tandem::vulkan
