#include "drivers/processor/kmd/plane_layers.h"

#include "drivers/processor/kmd/device.h"

namespace tandem::processor {

std::optional<ScanOutFrame> PlaneLayers::Flip(Device& device, const DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3& set) {
  const MutexLock lock(mutex_);
  Layers layers = layers_;
  for (UINT i = 0; i < set.PlaneCount; ++i) {
    const DXGK_MULTIPLANE_OVERLAY_PLANE3& plane = *set.ppPlanes[i];
    if (plane.LayerIndex >= layers.size()) return std::nullopt;
    auto& layer = layers[plane.LayerIndex];
    layer.reset();
    if (!plane.InputFlags.Enabled) continue;
    const DXGK_PRIMARYCONTEXTDATA& context = *plane.ppContextData[0];
    layer = device.display().ToPlane(static_cast<const Allocation*>(context.hAllocation)->data, plane.PlaneAttributes);
    if (!layer) return std::nullopt;
    layer->surface.address = static_cast<std::uint64_t>(context.SegmentAddress.QuadPart);
    layer->layer = plane.LayerIndex;
    layer->present_id = plane.PresentId;
  }
  layers_ = layers;
  ScanOutFrame frame;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    if (*layer) frame.planes[frame.plane_count++] = **layer;
  }
  if (frame.plane_count == 0) return frame;
  static_cast<ScanOutSurface&>(frame) = frame.planes[0].surface;
  frame.width = frame.planes[0].destination.right;
  frame.height = frame.planes[0].destination.bottom;
  return frame;
}

void PlaneLayers::Clear() {
  const MutexLock lock(mutex_);
  layers_ = {};
}

}  // namespace tandem::processor
