// Encodes pictures into link surfaces and decodes them, on the processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "drivers/vulkan/blit/blit_plan.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {

[[nodiscard]] bool IsLinkSurface(const Allocation& allocation);
// True if one side of the command is a link surface.
[[nodiscard]] bool IsLinkBlit(const BlitCommand& command);

// The encoding of the slice that begins at `row`: the requested one if `encodes`, otherwise the slice's own. The surface's
// pages are not trusted; an encoding outside this build becomes kLossless.
[[nodiscard]] link::LinkEncoding LinkEncodingAt(const BlitSide& surface, std::uint32_t row, bool encodes);

// True if decoding a slice may leave pixels unchanged, so the earlier picture must be available.
[[nodiscard]] bool MayKeepPixels(const BlitPlan& plan);

// Runs the rectangles, whose pixels must be available. Counts only the bytes of an encoding as crossing. `room` grows at first
// use. kInvalidArgument when the surface contradicts itself; then nothing of the rectangle is written.
[[nodiscard]] Result<link::EncodedRows> RunLinkBlit(const BlitPlan& plan, std::vector<std::byte>& room);

// Stores the time that the bytes of an encoding took on the link in the surface.
void NoteLinkTime(const BlitCommand& command, const Rows& surface, std::int64_t link_ns);

}  // namespace tandem::vulkan
