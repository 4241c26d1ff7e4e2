#include "drivers/soft/kmd/display_controller.h"

#include "color/blit.h"
#include "color/format.h"
#include "drivers/processor/kmd/nv12_reader.h"
#include "drivers/processor/kmd/plane_question.h"

namespace tandem::soft {
namespace {

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
  auto plane = processor::ReadPlane(surface, attributes);
  if (!plane || surface.format == drivers::kPaletteFormat || !display.ScansOut(surface.format)) return std::nullopt;
  const bool seen = plane->clip.left < plane->clip.right && plane->clip.top < plane->clip.bottom;
  const bool begins_odd = ((plane->source.left | plane->source.top) & 1) != 0;
  if (color::IsQuarterTurn(plane->rotation) || !seen || (drivers::IsNv12(surface.format) && begins_odd) ||
      !CanScale(plane->source.width(), plane->destination.width(), surface.format) ||
      !CanScale(plane->source.height(), plane->destination.height(), surface.format)) {
    return std::nullopt;
  }
  return plane;
}

bool CanStack(const processor::ScanOutPlane& plane, std::span<const processor::ScanOutPlane> below) {
  if (below.empty())
    return plane.blend == processor::PlaneBlend::kOpaque && plane.destination.left == 0 && plane.destination.top == 0;
  const processor::ScanOutPlane& lowest = below.front();
  if (!processor::IsInside(plane.destination, lowest.destination)) return false;
  return plane.blend == processor::PlaneBlend::kOpaque ||
         (HasAlphaBytes(plane.surface.format) &&
          color::SameBits(plane.surface.format, processor::SeenFormat(lowest.surface.format)));
}

std::uint64_t SystemBytes(const processor::ScanOutPlane& plane) {
  if (plane.surface.address < processor::kApertureBase) return 0;
  return processor::PictureBytes(plane.surface.format, plane.source.width(), plane.source.height());
}

}  // namespace tandem::soft
