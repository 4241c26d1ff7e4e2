#include "kernel/present/flip_shapes.h"

namespace tandem::kernel {
namespace {

// A hash of the properties that a display controller programs. Never 0.
std::uint64_t ShapeOf(const PendingFlip& flip) {
  std::uint64_t shape = 0xCBF29CE484222325;  // FNV-1a
  const auto add = [&](std::uint64_t value) { shape = (shape ^ value) * 0x100000001B3; };
  const auto add_rect = [&](const RECT& rect) {
    for (const LONG edge : {rect.left, rect.top, rect.right, rect.bottom}) add(static_cast<std::uint64_t>(edge));
  };
  const auto add_surface = [&](const Allocation& surface) {
    add(surface.description.width);
    add(surface.description.height);
    add(static_cast<std::uint64_t>(surface.description.format));
    add(surface.placement.segment);
  };
  if (flip.planes == nullptr) {
    add_surface(*flip.allocation);
    return shape | 1;
  }
  for (std::uint32_t i = 0; i < flip.planes->count; ++i) {
    const DXGK_MULTIPLANE_OVERLAY_PLANE3& plane = flip.planes->planes[i];
    add_surface(*flip.planes->allocations[i]);
    add(plane.LayerIndex);
    add_rect(plane.PlaneAttributes.SrcRect);
    add_rect(plane.PlaneAttributes.DstRect);
    add(static_cast<std::uint64_t>(plane.PlaneAttributes.Rotation));
  }
  return shape | 1;
}

}  // namespace

void FlipShapes::OnQueued(const PendingFlip& flip, std::uint64_t cookie) {
  Source& source = sources_[flip.vidpn_source];
  const std::uint64_t shape = ShapeOf(flip);
  if (source.shape.exchange(shape, std::memory_order_acq_rel) == shape) return;
  source.reshaping.store(cookie, std::memory_order_release);
  checks_.DisplayChanged();
}

void FlipShapes::OnRetired(std::uint32_t vidpn_source, std::uint64_t cookie) {
  // The driver counts the new shape from here on, at the latest.
  if (cookie <= sources_[vidpn_source].reshaping.load(std::memory_order_acquire)) checks_.DisplayChanged();
}

void FlipShapes::OnModeShown(std::uint32_t vidpn_source) {
  sources_[vidpn_source].shape.store(0, std::memory_order_release);
  checks_.DisplayChanged();
}

}  // namespace tandem::kernel
