#include "conform/model.h"

#include <algorithm>

namespace tandem::conform {
namespace {

constexpr std::uint32_t kMostRects = 40;

// 0 to limit - 1. std::uniform_int_distribution differs from library to library.
std::uint32_t Below(std::mt19937& random, std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); }

// Of width and height 1 at least, within the extent.
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

}  // namespace

void Apply(const Work& work, std::span<Picture> pictures) {
  Picture before = work.kind == WorkKind::kCopy ? pictures[work.source] : Picture{};
  Picture& destination = pictures[work.destination];
  const RECT bounds = work.kind == WorkKind::kCopy ? work.source_rect : work.destination_rect;
  const LONG dx = work.destination_rect.left - bounds.left;
  const LONG dy = work.destination_rect.top - bounds.top;
  const std::vector<RECT> whole{bounds};
  for (const RECT& given : work.rects.empty() ? whole : work.rects) {
    const RECT rect = Intersection(given, bounds);
    for (LONG y = rect.top; y < rect.bottom; ++y) {
      for (LONG x = rect.left; x < rect.right; ++x) {
        At(destination, x + dx, y + dy) = work.kind == WorkKind::kCopy ? At(before, x, y) : work.color;
      }
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
  work.destination_rect =
      RandomRect(random, std::min(source.width, destination.width), std::min(source.height, destination.height));
  const LONG width = work.destination_rect.right - work.destination_rect.left;
  const LONG height = work.destination_rect.bottom - work.destination_rect.top;
  const auto left = static_cast<LONG>(Below(random, source.width - static_cast<std::uint32_t>(width) + 1));
  const auto top = static_cast<LONG>(Below(random, source.height - static_cast<std::uint32_t>(height) + 1));
  work.source_rect = {left, top, left + width, top + height};
  const RECT& bounds = work.kind == WorkKind::kCopy ? work.source_rect : work.destination_rect;
  // Within one surface the order of several rectangles would show, and the contract gives none.
  const bool one_surface = work.kind == WorkKind::kCopy && work.source == work.destination;
  for (std::uint32_t i = Below(random, one_surface ? 2 : kMostRects); i > 0; --i) {
    RECT rect = RandomRect(random, static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height));
    // Some reach over the edge and are clipped.
    if (Below(random, 8) == 0) rect.right += static_cast<LONG>(Below(random, 64));
    work.rects.push_back({rect.left + bounds.left, rect.top + bounds.top, rect.right + bounds.left, rect.bottom + bounds.top});
  }
  return work;
}

}  // namespace tandem::conform
