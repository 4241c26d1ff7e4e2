#include "drivers/soft/kmd/display_controller.h"

#include <algorithm>

#include "base/limits.h"
#include "color/blit.h"
#include "color/format.h"
#include "drivers/processor/kmd/nv12_reader.h"

namespace tandem::soft {
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

bool CanScale(std::uint32_t from, std::uint32_t to, color::Format format) {
  if (format == color::Format::kR16G16B16A16Float) return from == to;
  return to <= from * kMostScale && from <= to * kMostScale;
}

bool HasAlphaBytes(color::Format format) {
  switch (format) {
    case color::Format::kB8G8R8A8Unorm:
    case color::Format::kB8G8R8A8UnormSrgb:
    case color::Format::kR8G8B8A8Unorm:
    case color::Format::kR8G8B8A8UnormSrgb: return true;
    default: return false;
  }
}

}  // namespace

std::optional<processor::ScanOutPlane> ToPlane(const processor::Display& display, const processor::AllocationData& surface,
                                               const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3& attributes) {
  const bool scanned_out = (surface.flags & (processor::kAllocationPrimary | processor::kAllocationCrossAdapter)) != 0 &&
                           surface.format != drivers::kPaletteFormat && display.ScansOut(surface.format);
  const auto rotation = attributes.Rotation;
  const bool upright = rotation == D3DDDI_ROTATION_IDENTITY || rotation == 0;
  if (!scanned_out || attributes.Flags.VerticalFlip != 0 || attributes.Flags.HorizontalFlip != 0 ||
      (!upright && rotation != D3DDDI_ROTATION_180) || !IsRect(attributes.SrcRect) || !IsRect(attributes.DstRect) ||
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
  plane.clip = Intersection(ToRect(attributes.ClipRect), plane.destination);
  plane.rotation = upright ? color::Rotation::kIdentity : color::Rotation::k180;
  plane.blend = attributes.Blend.AlphaBlend != 0 ? processor::PlaneBlend::kPremultiplied : processor::PlaneBlend::kOpaque;
  const bool seen = plane.clip.left < plane.clip.right && plane.clip.top < plane.clip.bottom;
  const bool begins_odd = ((plane.source.left | plane.source.top) & 1) != 0;
  if (!seen || (drivers::IsNv12(surface.format) && begins_odd) ||
      !IsInside(plane.source, {0, 0, surface.width, surface.height}) ||
      !CanScale(plane.source.width(), plane.destination.width(), surface.format) ||
      !CanScale(plane.source.height(), plane.destination.height(), surface.format)) {
    return std::nullopt;
  }
  return plane;
}

bool CanStack(const processor::ScanOutPlane& plane, std::span<const processor::ScanOutPlane> below) {
  if (below.empty())
    return plane.blend == processor::PlaneBlend::kOpaque && plane.destination.left == 0 && plane.destination.top == 0;
  const processor::ScanOutPlane& lowest = below.front();
  if (!IsInside(plane.destination, lowest.destination)) return false;
  return plane.blend == processor::PlaneBlend::kOpaque ||
         (HasAlphaBytes(plane.surface.format) &&
          color::SameBits(plane.surface.format, processor::SeenFormat(lowest.surface.format)));
}

std::uint64_t SystemBytes(const processor::ScanOutPlane& plane) {
  if (plane.surface.address < processor::kApertureBase) return 0;
  return processor::PictureBytes(plane.surface.format, plane.source.width(), plane.source.height());
}

}  // namespace tandem::soft
