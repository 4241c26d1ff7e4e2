#include "kernel/present/copy_rects.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace tandem::kernel {
namespace {

constexpr LONG kMaxExtent = kMaxSurfaceExtent;

// A surface that its driver does not describe is bounded by what any surface can be.
RECT BoundsOf(const SurfaceDescription& surface, bool quarter_turned) {
  RECT bounds{0, 0, kMaxExtent, kMaxExtent};
  if (surface.known()) bounds = {0, 0, static_cast<LONG>(surface.width), static_cast<LONG>(surface.height)};
  if (quarter_turned) std::swap(bounds.right, bounds.bottom);
  return bounds;
}

bool IsEmpty(const RECT& rect) { return rect.left >= rect.right || rect.top >= rect.bottom; }

RECT Intersection(const RECT& a, const RECT& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right), std::min(a.bottom, b.bottom)};
}

bool Inside(const RECT& rect, const RECT& bounds) {
  return !IsEmpty(rect) && rect.left >= bounds.left && rect.top >= bounds.top && rect.right <= bounds.right &&
         rect.bottom <= bounds.bottom;
}

// Its coordinates are near enough that nothing overflows.
bool IsReasonable(const RECT& rect) {
  const RECT reach{-kMaxExtent, -kMaxExtent, 2 * kMaxExtent, 2 * kMaxExtent};
  return Inside(rect, reach) && rect.right - rect.left <= kMaxExtent && rect.bottom - rect.top <= kMaxExtent;
}

// The first destination pixel that is not taken from before `at`; both counted from their rectangles.
LONG Stretched(LONG at, LONG source, LONG destination) {
  return static_cast<LONG>((2 * std::int64_t{destination} * at + source - 1) / (2 * std::int64_t{source}));
}

class Mapping {
 public:
  explicit Mapping(const CopyRects& rects)
      : from_(rects.source),
        to_(rects.destination),
        width_(from_.right - from_.left),
        height_(from_.bottom - from_.top),
        stretched_(width_ != to_.right - to_.left || height_ != to_.bottom - to_.top) {}
  [[nodiscard]] bool stretched() const { return stretched_; }
  // The rectangle lies inside the source rectangle.
  [[nodiscard]] RECT operator()(const RECT& rect) const {
    if (!stretched_) {
      const LONG dx = to_.left - from_.left, dy = to_.top - from_.top;
      return {rect.left + dx, rect.top + dy, rect.right + dx, rect.bottom + dy};
    }
    const auto x = [this](LONG at) { return to_.left + Stretched(at - from_.left, width_, to_.right - to_.left); };
    const auto y = [this](LONG at) { return to_.top + Stretched(at - from_.top, height_, to_.bottom - to_.top); };
    return {x(rect.left), y(rect.top), x(rect.right), y(rect.bottom)};
  }

 private:
  const RECT& from_;
  const RECT& to_;
  LONG width_, height_;
  bool stretched_;
};

// Rectangles that move down are copied from the bottom, those that move right from the right.
void OrderForOverlap(const CopyRects& rects, std::vector<RECT>& sub_rects) {
  const bool down = rects.destination.top > rects.source.top;
  const bool right = rects.destination.left > rects.source.left;
  std::sort(sub_rects.begin(), sub_rects.end(), [down, right](const RECT& a, const RECT& b) {
    if (a.top != b.top) return down ? a.top > b.top : a.top < b.top;
    return right ? a.left > b.left : a.left < b.left;
  });
}

}  // namespace

NTSTATUS ResolveCopyRects(const CopyRequest& request, CopyRects& rects, std::vector<RECT>& sub_rects) {
  const RECT bounds = BoundsOf(*request.destination, request.quarter_turned);
  if (request.destination_rect == nullptr && !request.destination->known()) return STATUS_INVALID_PARAMETER;
  rects.destination = request.destination_rect != nullptr ? *request.destination_rect : bounds;
  if (!IsReasonable(rects.destination)) return STATUS_INVALID_PARAMETER;
  rects.source = rects.destination;
  if (request.source != nullptr) {
    if (request.source_rect == nullptr && !request.source->known()) return STATUS_INVALID_PARAMETER;
    const RECT whole = BoundsOf(*request.source, false);
    rects.source = request.source_rect != nullptr ? *request.source_rect : whole;
    if (!Inside(rects.source, whole)) return STATUS_INVALID_PARAMETER;
  }
  sub_rects.clear();
  const RECT visible = Intersection(rects.destination, bounds);
  if (request.sub_rects.size() > kMaxSubRects) return STATUS_INVALID_PARAMETER;
  if (request.sub_rects.empty()) {
    if (!IsEmpty(visible)) sub_rects.push_back(visible);
    return STATUS_SUCCESS;
  }
  const Mapping map(rects);
  for (const RECT& rect : request.sub_rects) {
    const RECT taken = Intersection(rect, rects.source);
    if (IsEmpty(taken)) continue;
    const RECT written = Intersection(map(taken), visible);
    if (!IsEmpty(written)) sub_rects.push_back(written);
  }
  if (request.onto_itself && !map.stretched()) OrderForOverlap(rects, sub_rects);
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
