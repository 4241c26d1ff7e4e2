#include "kernel/present/copy_rects.h"

#include <algorithm>

#include "base/limits.h"

namespace tandem::kernel {
namespace {

bool Inside(const RECT& rect, const SurfaceDescription& surface) {
  // A surface that its driver does not describe is bounded by what any surface can be.
  const LONG width = static_cast<LONG>(surface.known() ? surface.width : kMaxSurfaceExtent);
  const LONG height = static_cast<LONG>(surface.known() ? surface.height : kMaxSurfaceExtent);
  return rect.left >= 0 && rect.top >= 0 && rect.left < rect.right && rect.top < rect.bottom && rect.right <= width &&
         rect.bottom <= height;
}

NTSTATUS ResolveRect(const RECT* given, const SurfaceDescription& surface, RECT& resolved) {
  if (given == nullptr && !surface.known()) return STATUS_INVALID_PARAMETER;
  resolved = given != nullptr ? *given : RECT{0, 0, static_cast<LONG>(surface.width), static_cast<LONG>(surface.height)};
  return Inside(resolved, surface) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

}  // namespace

NTSTATUS ResolveCopyRects(const CopyRequest& request, CopyRects& rects, std::vector<RECT>& sub_rects) {
  if (const NTSTATUS status = ResolveRect(request.destination_rect, *request.destination, rects.destination);
      !NT_SUCCESS(status)) {
    return status;
  }
  rects.source = rects.destination;
  if (request.source != nullptr) {
    if (const NTSTATUS status = ResolveRect(request.source_rect, *request.source, rects.source); !NT_SUCCESS(status))
      return status;
    if (rects.source.right - rects.source.left != rects.destination.right - rects.destination.left ||
        rects.source.bottom - rects.source.top != rects.destination.bottom - rects.destination.top) {
      return STATUS_NOT_SUPPORTED;
    }
  }
  sub_rects.clear();
  if (request.sub_rects.empty() || request.sub_rects.size() > kMaxSubRects) {
    sub_rects.push_back(rects.destination);
    return STATUS_SUCCESS;
  }
  const LONG dx = rects.destination.left - rects.source.left;
  const LONG dy = rects.destination.top - rects.source.top;
  for (const RECT& rect : request.sub_rects) {
    const RECT clipped{std::max(rect.left, rects.source.left), std::max(rect.top, rects.source.top),
                       std::min(rect.right, rects.source.right), std::min(rect.bottom, rects.source.bottom)};
    if (clipped.left >= clipped.right || clipped.top >= clipped.bottom) continue;
    sub_rects.push_back({clipped.left + dx, clipped.top + dy, clipped.right + dx, clipped.bottom + dy});
  }
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
