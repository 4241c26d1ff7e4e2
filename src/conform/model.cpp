#include "conform/model.h"

#include <algorithm>

namespace tandem::conform {
namespace {

constexpr std::uint32_t kMostRects = 40;

// A number from 0 to limit - 1. std::uniform_int_distribution differs between libraries.
std::uint32_t Below(std::mt19937& random, std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); }

// A rectangle within the extent, at least 1 x 1.
RECT RandomRect(std::mt19937& random, std::uint32_t width, std::uint32_t height) {
  const std::uint32_t left = Below(random, width);
  const std::uint32_t top = Below(random, height);
  return {static_cast<LONG>(left), static_cast<LONG>(top), static_cast<LONG>(left + 1 + Below(random, width - left)),
          static_cast<LONG>(top + 1 + Below(random, height - top))};
}

RECT Intersection(const RECT& a, const RECT& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right), std::min(a.bottom, b.bottom)};
}

std::uint32_t& At(Picture& picture, LONG x, LONG y) {
  return picture.pixels[static_cast<std::size_t>(y) * picture.width + static_cast<std::size_t>(x)];
}

bool Holds(const RECT& rect, LONG x, LONG y) { return x >= rect.left && x < rect.right && y >= rect.top && y < rect.bottom; }

bool HoldsAny(std::span<const RECT> rects, LONG x, LONG y) {
  return std::any_of(rects.begin(), rects.end(), [x, y](const RECT& rect) { return Holds(rect, x, y); });
}

// The source pixel under the centre of destination pixel `position`; both are relative to their rectangles.
LONG Under(LONG position, LONG source, LONG destination) {
  return static_cast<LONG>((2 * std::int64_t{position} + 1) * source / (2 * std::int64_t{destination}));
}

}  // namespace

void Apply(const Work& work, std::span<Picture> pictures) {
  Picture before = work.kind == WorkKind::kCopy ? pictures[work.source] : Picture{};
  Picture& picture = pictures[work.destination];
  const RECT& to = work.destination_rect;
  const RECT& from = work.kind == WorkKind::kCopy ? work.source_rect : work.destination_rect;
  const RECT seen = Intersection(to, {0, 0, static_cast<LONG>(picture.width), static_cast<LONG>(picture.height)});
  for (LONG y = seen.top; y < seen.bottom; ++y) {
    for (LONG x = seen.left; x < seen.right; ++x) {
      const LONG source_x = from.left + Under(x - to.left, from.right - from.left, to.right - to.left);
      const LONG source_y = from.top + Under(y - to.top, from.bottom - from.top, to.bottom - to.top);
      if (!work.rects.empty() && !HoldsAny(work.rects, source_x, source_y)) continue;
      At(picture, x, y) = work.kind == WorkKind::kCopy ? At(before, source_x, source_y) : work.color;
    }
  }
}

Work RandomWork(std::mt19937& random, std::span<const Picture> pictures) {
  Work work;
  const auto count = static_cast<std::uint32_t>(pictures.size());
  work.kind = Below(random, 4) == 0 ? WorkKind::kFill : WorkKind::kCopy;
  work.source = Below(random, count);
  work.destination = Below(random, count);
  work.color = static_cast<UINT>(random());
  const Picture& source = pictures[work.source];
  const Picture& destination = pictures[work.destination];
  // Within one surface, a stretch or the order of rectangles would matter, and the contract defines neither.
  const bool one_surface = work.kind == WorkKind::kCopy && work.source == work.destination;
  if (work.kind == WorkKind::kFill || one_surface || Below(random, 2) == 0) {
    work.destination_rect =
        RandomRect(random, std::min(source.width, destination.width), std::min(source.height, destination.height));
    const LONG width = work.destination_rect.right - work.destination_rect.left;
    const LONG height = work.destination_rect.bottom - work.destination_rect.top;
    const auto left = static_cast<LONG>(Below(random, source.width - static_cast<std::uint32_t>(width) + 1));
    const auto top = static_cast<LONG>(Below(random, source.height - static_cast<std::uint32_t>(height) + 1));
    work.source_rect = {left, top, left + width, top + height};
  } else {
    work.source_rect = RandomRect(random, source.width, source.height);
    work.destination_rect = RandomRect(random, destination.width, destination.height);
    // Some rectangles extend beyond the surface, as a window does beyond the screen.
    if (Below(random, 4) == 0) work.destination_rect.right += static_cast<LONG>(Below(random, 50));
    if (Below(random, 4) == 0) work.destination_rect.top -= static_cast<LONG>(Below(random, 50));
  }
  const RECT& bounds = work.kind == WorkKind::kCopy ? work.source_rect : work.destination_rect;
  const auto width = static_cast<std::uint32_t>(bounds.right - bounds.left);
  const auto height = static_cast<std::uint32_t>(bounds.bottom - bounds.top);
  for (std::uint32_t i = Below(random, one_surface ? 2 : kMostRects); i > 0; --i) {
    RECT rect = RandomRect(random, width, height);
    // Some rectangles cross the edge and are clipped.
    if (Below(random, 8) == 0) rect.right += static_cast<LONG>(Below(random, 64));
    work.rects.push_back({rect.left + bounds.left, rect.top + bounds.top, rect.right + bounds.left, rect.bottom + bounds.top});
  }
  return work;
}

}  // namespace tandem::conform
