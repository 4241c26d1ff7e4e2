// Pictures into link surfaces and back, by the processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "drivers/vulkan/blit/blit_plan.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {

[[nodiscard]] bool IsLinkSurface(const Allocation& allocation);
// Of a command: one of its sides is a link surface.
[[nodiscard]] bool IsLinkBlit(const BlitCommand& command);

// Of a link surface's slice that begins at the row: the request where it is to be encoded, else as it was coded. What the pages
// say is not checked: where that is no encoding of this build, kLossless.
[[nodiscard]] link::LinkEncoding LinkEncodingAt(const BlitSide& surface, std::uint32_t row, bool encodes);

// Whether a slice that is decoded may leave pixels as they are: the picture must be at hand before.
[[nodiscard]] bool MayKeepPixels(const BlitPlan& plan);

// Runs the rectangles, whose pixels are at hand; only bytes of an encoding have to cross. `room` is grown at first use.
// kInvalidArgument when the surface contradicts itself; nothing of the rectangle is written then.
[[nodiscard]] Result<link::EncodedRows> RunLinkBlit(const BlitPlan& plan, std::vector<std::byte>& room);

// Notes with the surface what the bytes of an encoding took on the link.
void NoteLinkTime(const BlitCommand& command, const Rows& surface, std::int64_t link_ns);

}  // namespace tandem::vulkan
