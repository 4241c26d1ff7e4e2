// Surfaces that the virtual display controller can put on a screen at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "drivers/processor/kmd/display.h"
#include "drivers/processor/kmd/scan_out_frame.h"

namespace tandem::soft {

// The limits of one plane: shrunk or stretched twice at most, half floats not at all; upright or turned by half; mirrored never;
// no palette; of NV12, where the controller reads it, from even coordinates on. The lowest plane covers the screen, from its
// corner, and is opaque. Planes above it blend where they have 8-bit channels and alpha in the lowest one's order.
inline constexpr std::uint32_t kMostScale = 2;

// Nothing when the controller cannot read such a plane. `surface` is its allocation's.
[[nodiscard]] std::optional<processor::ScanOutPlane> ToPlane(const processor::Display& display,
                                                             const processor::AllocationData& surface,
                                                             const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3& attributes);

// True if `plane` can lie on the planes below it; the lowest has none.
[[nodiscard]] bool CanStack(const processor::ScanOutPlane& plane, std::span<const processor::ScanOutPlane> below);

// Bytes that one refresh reads from system memory.
[[nodiscard]] std::uint64_t SystemBytes(const processor::ScanOutPlane& plane);

}  // namespace tandem::soft
