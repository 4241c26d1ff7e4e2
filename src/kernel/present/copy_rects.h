// The rectangles of a copying present: checked, brought to the destination, clipped and ordered, so that a driver has nothing to
// clip.
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
  const RECT* destination_rect = nullptr;  // null: the whole destination, as its clients see it
  std::span<const RECT> sub_rects;         // in the source, up to kMaxSubRects; empty: everything
  bool quarter_turned = false;             // clients of the destination see its width and height exchanged
  bool onto_itself = false;                // source and destination are one surface
};

struct CopyRects {
  RECT source{};
  RECT destination{};
};

// Fills `sub_rects` with destination rectangles; reuses its memory. The source rectangle lies in its surface; the destination
// rectangle may reach beyond its own, by kMaxSurfaceExtent at most, as a window does beyond the screen. Neither is empty or
// larger than a surface can be: STATUS_INVALID_PARAMETER, as for too many sub-rectangles.
//
// A sub-rectangle is clipped to the source rectangle, becomes the destination pixels that are taken from it (color's rule:
// the source pixel under the centre), and is clipped to the destination surface. Nothing left: `sub_rects` is empty. Bands of a
// region that is copied onto itself without a stretch are ordered: none overwrites the source of a later one.
[[nodiscard]] NTSTATUS ResolveCopyRects(const CopyRequest& request, CopyRects& rects, std::vector<RECT>& sub_rects);

}  // namespace tandem::kernel
