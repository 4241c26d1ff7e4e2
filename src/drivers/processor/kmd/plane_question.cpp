#include "drivers/processor/kmd/plane_question.h"

#include <algorithm>

#include "base/limits.h"

namespace tandem::processor {
namespace {

bool IsRect(const RECT& rect) {
  constexpr LONG kMost = static_cast<LONG>(kMaxSurfaceExtent);
  return rect.left >= 0 && rect.top >= 0 && rect.left < rect.right && rect.top < rect.bottom && rect.right <= kMost &&
         rect.bottom <= kMost;
}

color::BlitRect ToRect(const RECT& rect) {
  return {static_cast<std::uint32_t>(rect.left), static_cast<std::uint32_t>(rect.top), static_cast<std::uint32_t>(rect.right),
          static_cast<std::uint32_t>(rect.bottom)};
}

}  // namespace

color::BlitRect Intersection(const color::BlitRect& a, const color::BlitRect& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right), std::min(a.bottom, b.bottom)};
}

bool IsInside(const color::BlitRect& rect, const color::BlitRect& outer) { return Intersection(rect, outer) == rect; }

std::optional<ScanOutPlane> ReadPlane(const AllocationData& surface, const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3& attributes) {
  const bool scanned_out = (surface.flags & (kAllocationPrimary | kAllocationCrossAdapter)) != 0;
  if (!scanned_out || attributes.Flags.VerticalFlip != 0 || attributes.Flags.HorizontalFlip != 0 ||
      attributes.Rotation > D3DDDI_ROTATION_270 || !IsRect(attributes.SrcRect) || !IsRect(attributes.DstRect) ||
      !IsRect(attributes.ClipRect)) {
    return std::nullopt;
  }
  ScanOutPlane plane;
  plane.surface.width = surface.width;
  plane.surface.height = surface.height;
  plane.surface.pitch = surface.pitch;
  plane.surface.format = surface.format;
  plane.source = ToRect(attributes.SrcRect);
  plane.destination = ToRect(attributes.DstRect);
  plane.clip = Intersection(ToRect(attributes.ClipRect), plane.destination);
  if (attributes.Rotation > D3DDDI_ROTATION_IDENTITY) {
    plane.rotation = static_cast<color::Rotation>(attributes.Rotation - D3DDDI_ROTATION_IDENTITY);
  }
  plane.blend = attributes.Blend.AlphaBlend != 0 ? PlaneBlend::kPremultiplied : PlaneBlend::kOpaque;
  if (!IsInside(plane.source, {0, 0, surface.width, surface.height})) return std::nullopt;
  return plane;
}

}  // namespace tandem::processor
