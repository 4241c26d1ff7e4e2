// The rectangles of a present, as DxgkDdiPresent gets them: clipped by the kernel, to be drawn or refused.
#pragma once

#include <cstdint>

#include "drivers/common/pixel_rect.h"

#include <d3dkmddi.h>

namespace tandem::drivers {

// The clipped rectangles, or the whole destination when the kernel gives none.
class PresentRects {
 public:
  explicit PresentRects(const DXGKARG_PRESENT& args) : args_(args) {}
  [[nodiscard]] UINT count() const { return args_.SubRectCnt == 0 ? 1 : args_.SubRectCnt; }
  [[nodiscard]] PixelRect operator[](UINT index) const {
    return ToPixelRect(args_.SubRectCnt == 0 ? args_.DstRect : args_.pDstSubRects[index]);
  }
  // True when `holds(rect)` is true of one rectangle.
  template <class Holds>
  [[nodiscard]] bool Any(Holds&& holds) const {
    for (UINT i = 0; i < count(); ++i) {
      if (holds((*this)[i])) return true;
    }
    return false;
  }
  // True when `holds(rect)` is true of every rectangle that is not empty.
  template <class Holds>
  [[nodiscard]] bool All(Holds&& holds) const {
    for (UINT i = 0; i < count(); ++i) {
      const PixelRect rect = (*this)[i];
      if (!rect.empty() && !holds(rect)) return false;
    }
    return true;
  }

 private:
  const DXGKARG_PRESENT& args_;
};

// Calls `write(rect)` for each rectangle from MultipassOffset on that is not empty, until one answers another status than
// STATUS_SUCCESS, and moves the offset past the rectangles that were written. A rectangle is never split. `seen` is the
// destination as its clients see it: a rectangle outside it, or outside `within`, ends the present with
// STATUS_PRIVILEGED_INSTRUCTION. STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ends the pass.
template <class Write>
NTSTATUS WriteRects(DXGKARG_PRESENT& args, const PixelRect& seen, const PixelRect& within, Write&& write) {
  const PresentRects rects(args);
  for (UINT index = args.MultipassOffset; index < rects.count(); ++index) {
    const PixelRect rect = rects[index];
    if (rect.empty()) continue;
    if (!rect.Inside(seen) || !rect.Inside(within)) return STATUS_PRIVILEGED_INSTRUCTION;
    const NTSTATUS status = write(rect);
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) args.MultipassOffset = index;
    if (status != STATUS_SUCCESS) return status;
  }
  args.MultipassOffset = rects.count();
  return STATUS_SUCCESS;
}

// The DMA buffer is to be submitted, with all rectangles or with as many as fit.
[[nodiscard]] constexpr bool IsBuilt(NTSTATUS status) {
  return NT_SUCCESS(status) || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

}  // namespace tandem::drivers
