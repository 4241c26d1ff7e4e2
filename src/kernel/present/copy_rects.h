// The rectangles of a copying present: checked, moved to the destination and clipped, so that a driver has nothing to clip.
#pragma once

#include <span>
#include <vector>

#include "kernel/memory/allocation.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

struct CopyRequest {
  const SurfaceDescription* source = nullptr;  // null for a colour fill
  const SurfaceDescription* destination = nullptr;
  const RECT* source_rect = nullptr;       // null: the whole source
  const RECT* destination_rect = nullptr;  // null: the whole destination
  std::span<const RECT> sub_rects;         // in the source; empty: everything
};

struct CopyRects {
  RECT source{};
  RECT destination{};
};

// Fills `sub_rects` with destination rectangles; reuses its memory. STATUS_INVALID_PARAMETER for a rectangle that is empty or not
// inside its surface, STATUS_NOT_SUPPORTED for a stretch. More than kMaxSubRects become one. No sub-rectangle inside: `sub_rects`
// is empty.
[[nodiscard]] NTSTATUS ResolveCopyRects(const CopyRequest& request, CopyRects& rects, std::vector<RECT>& sub_rects);

}  // namespace tandem::kernel
