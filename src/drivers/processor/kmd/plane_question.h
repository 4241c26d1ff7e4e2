// Overlay checks: what the planes of an overlay question are, and in which order a display is asked about them.
#pragma once

#include <cstdint>
#include <optional>

#include "color/blit.h"
#include "drivers/processor/allocation_data.h"
#include "drivers/processor/kmd/device.h"
#include "drivers/processor/kmd/scan_out_frame.h"

#include <d3dkmddi.h>

namespace tandem::processor {

[[nodiscard]] color::BlitRect Intersection(const color::BlitRect& a, const color::BlitRect& b);
[[nodiscard]] bool IsInside(const color::BlitRect& rect, const color::BlitRect& outer);

// The plane that the attributes make of an allocation's surface; its clip may be empty. Nothing for a surface that is never
// scanned out, a mirrored plane, rectangles beyond kMaxSurfaceExtent, and a source outside the surface.
[[nodiscard]] std::optional<ScanOutPlane> ReadPlane(const AllocationData& surface,
                                                    const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3& attributes);

// The first plane that cannot be shown with those before it in its source's order; nothing when all can. Each source's planes
// come lowest first. `add(allocation, source, plane)` is true if the display can show the plane with those that it was given
// before; the plane's address is the display's to choose.
template <class Add>
[[nodiscard]] std::optional<UINT> FirstRefusedPlane(Device& device, const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check,
                                                    Add&& add) {
  const Display& display = device.display();
  const auto can_add = [&](const DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2& asked) {
    const auto* allocation = static_cast<const Allocation*>(asked.hAllocation);
    const std::uint32_t source = asked.VidPnSourceId;
    if (allocation == nullptr || source >= device.source_count()) return false;
    if (device.PathRotation(source) != color::Rotation::kIdentity) return false;
    auto plane = display.ToPlane(allocation->data, asked.PlaneAttributes);
    if (!plane) return false;
    plane->layer = asked.LayerIndex;
    return add(*allocation, source, *plane);
  };
  // The lowest plane first, whatever the order of the list: layer 0 is on top.
  for (UINT layer = display.overlay_planes(); layer-- > 0;) {
    for (UINT i = 0; i < check.PlaneCount; ++i) {
      if (check.ppPlanes[i]->LayerIndex == layer && !can_add(*check.ppPlanes[i])) return i;
    }
  }
  for (UINT i = 0; i < check.PlaneCount; ++i) {
    if (check.ppPlanes[i]->LayerIndex >= display.overlay_planes()) return i;
  }
  return std::nullopt;
}

}  // namespace tandem::processor
