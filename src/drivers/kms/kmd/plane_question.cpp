#include "drivers/kms/kmd/plane_question.h"

#include "color/blit.h"
#include "drivers/kms/kmd/framebuffer_cache.h"
#include "drivers/processor/kmd/plane_question.h"

namespace tandem::kms {
namespace {

// Planes have no clip: the part that is seen becomes the plane. False for a plane that is scaled or rotated.
bool Clip(processor::ScanOutPlane& plane) {
  const color::BlitRect seen = plane.clip;
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
  auto plane = processor::ReadPlane(surface, attributes);
  if (!plane || !Clip(*plane)) return std::nullopt;
  return plane;
}

std::optional<UINT> PlaneQuestion::FirstRefused(const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check, const CanShow& can_show) {
  return processor::FirstRefusedPlane(
      device_, check, [&](const processor::Allocation& allocation, std::uint32_t source, processor::ScanOutPlane& plane) {
        return Add(allocation, source, plane, can_show);
      });
}

bool PlaneQuestion::Add(const processor::Allocation& allocation, std::uint32_t source, processor::ScanOutPlane& plane,
                        const CanShow& can_show) {
  const bool shared = (allocation.data.flags & processor::kAllocationCrossAdapter) != 0;
  if (shared && (refuses_imports_ || display_.tier() < 3)) return false;
  plane.surface.address = kSampleAddress;
  if (processor::SpanBytes(plane.surface) > local_bytes_) return false;
  processor::ScanOutFrame& frame = frames_[source];
  if (frame.plane_count == frame.planes.size()) return false;
  if (frame.plane_count != 0 && frame.planes[frame.plane_count - 1].layer == plane.layer) return false;
  if (frame.plane_count == 0) {
    if (plane.blend != processor::PlaneBlend::kOpaque || plane.destination.left != 0 || plane.destination.top != 0) return false;
    static_cast<processor::ScanOutSurface&>(frame) = plane.surface;
    const color::BlitRect all{0, 0, allocation.data.width, allocation.data.height};
    whole_[source] = plane.source == all && plane.destination == all && plane.rotation == color::Rotation::kIdentity;
    frame.width = plane.destination.right;
    frame.height = plane.destination.bottom;
  } else if (!processor::IsInside(plane.destination, frame.planes[0].destination)) {
    return false;
  }
  frame.planes[frame.plane_count++] = plane;
  // A surface alone is shown whatever its size: what no plane reads is composed from where it lies, and a copy would gain
  // nothing.
  return (frame.plane_count == 1 && whole_[source]) || can_show(source, frame);
}

}  // namespace tandem::kms
