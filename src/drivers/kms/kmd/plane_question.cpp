#include "drivers/kms/kmd/plane_question.h"

#include <algorithm>

#include "base/limits.h"
#include "color/blit.h"

namespace tandem::kms {
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

color::BlitRect Intersection(const color::BlitRect& a, const color::BlitRect& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right), std::min(a.bottom, b.bottom)};
}

bool IsInside(const color::BlitRect& rect, const color::BlitRect& outer) { return Intersection(rect, outer) == rect; }

// Planes have no clip: the part that is seen becomes the plane. False for a plane that is scaled or rotated.
bool Clip(const color::BlitRect& clip, processor::ScanOutPlane& plane) {
  const color::BlitRect seen = Intersection(clip, plane.destination);
  if (seen == plane.destination) return true;
  const bool scaled = plane.source.width() != plane.destination.width() || plane.source.height() != plane.destination.height();
  if (seen.left >= seen.right || seen.top >= seen.bottom || scaled || plane.rotation != color::Rotation::kIdentity) return false;
  plane.source.left += seen.left - plane.destination.left;
  plane.source.top += seen.top - plane.destination.top;
  plane.source.right = plane.source.left + seen.width();
  plane.source.bottom = plane.source.top + seen.height();
  plane.destination = seen;
  return true;
}

}  // namespace

std::optional<processor::ScanOutPlane> ToPlane(const processor::AllocationData& surface,
                                               const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3& attributes) {
  const bool scanned_out = (surface.flags & (processor::kAllocationPrimary | processor::kAllocationCrossAdapter)) != 0;
  if (!scanned_out || attributes.Flags.VerticalFlip != 0 || attributes.Flags.HorizontalFlip != 0 ||
      attributes.Rotation > D3DDDI_ROTATION_270 || !IsRect(attributes.SrcRect) || !IsRect(attributes.DstRect) ||
      !IsRect(attributes.ClipRect)) {
    return std::nullopt;
  }
  processor::ScanOutPlane plane;
  plane.surface.width = surface.width;
  plane.surface.height = surface.height;
  plane.surface.pitch = surface.pitch;
  plane.surface.format = surface.format;
  plane.source = ToRect(attributes.SrcRect);
  plane.destination = ToRect(attributes.DstRect);
  if (attributes.Rotation > D3DDDI_ROTATION_IDENTITY) {
    plane.rotation = static_cast<color::Rotation>(attributes.Rotation - D3DDDI_ROTATION_IDENTITY);
  }
  plane.blend = attributes.Blend.AlphaBlend != 0 ? processor::PlaneBlend::kPremultiplied : processor::PlaneBlend::kOpaque;
  if (!IsInside(plane.source, {0, 0, surface.width, surface.height}) || !Clip(ToRect(attributes.ClipRect), plane)) {
    return std::nullopt;
  }
  plane.clip = plane.destination;
  return plane;
}

std::optional<UINT> PlaneQuestion::FirstRefused(const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check, const CanShow& can_show) {
  // The lowest plane first, whatever the order of the list: layer 0 is on top.
  for (UINT layer = display_.overlay_planes(); layer-- > 0;) {
    for (UINT i = 0; i < check.PlaneCount; ++i) {
      if (check.ppPlanes[i]->LayerIndex == layer && !Add(*check.ppPlanes[i], can_show)) return i;
    }
  }
  for (UINT i = 0; i < check.PlaneCount; ++i) {
    if (check.ppPlanes[i]->LayerIndex >= display_.overlay_planes()) return i;
  }
  return std::nullopt;
}

bool PlaneQuestion::Add(const DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2& plane, const CanShow& can_show) {
  const auto* allocation = static_cast<const processor::Allocation*>(plane.hAllocation);
  const std::uint32_t source = plane.VidPnSourceId;
  if (allocation == nullptr || source >= device_.source_count()) return false;
  if (device_.PathRotation(source) != color::Rotation::kIdentity) return false;
  const bool shared = (allocation->data.flags & processor::kAllocationCrossAdapter) != 0;
  auto shown = display_.ToPlane(allocation->data, plane.PlaneAttributes);
  if (!shown || (shared && (refuses_imports_ || display_.tier() < 3))) return false;
  shown->surface.address = processor::kLocalBase;
  if (processor::SpanBytes(shown->surface) > local_bytes_) return false;
  shown->layer = plane.LayerIndex;
  processor::ScanOutFrame& frame = frames_[source];
  if (frame.plane_count == frame.planes.size()) return false;
  if (frame.plane_count != 0 && frame.planes[frame.plane_count - 1].layer == plane.LayerIndex) return false;
  if (frame.plane_count == 0) {
    if (shown->blend != processor::PlaneBlend::kOpaque || shown->destination.left != 0 || shown->destination.top != 0)
      return false;
    static_cast<processor::ScanOutSurface&>(frame) = shown->surface;
    const color::BlitRect all{0, 0, allocation->data.width, allocation->data.height};
    whole_[source] = shown->source == all && shown->destination == all && shown->rotation == color::Rotation::kIdentity;
    frame.width = shown->destination.right;
    frame.height = shown->destination.bottom;
  } else if (!IsInside(shown->destination, frame.planes[0].destination)) {
    return false;
  }
  frame.planes[frame.plane_count++] = *shown;
  if (frame.plane_count > 1 || !whole_[source]) return can_show(source, frame);
  // One surface is shown as a flip shows it, also where no mode has its size.
  processor::ScanOutFrame alone;
  static_cast<processor::ScanOutSurface&>(alone) = shown->surface;
  return can_show(source, alone);
}

}  // namespace tandem::kms
