// D3DKMTPresentMultiPlaneOverlay3: planes that are flipped to together.
#include <algorithm>
#include <array>

#include "kernel/thunk/overlay_planes.h"
#include "kernel/thunk/system.h"

namespace tandem::kernel {
namespace {

// This kernel takes one allocation a plane, flips without stereo, durations or metadata. `interval` is of the planes that
// are on, the first of which decides.
NTSTATUS CheckPlane(const D3DKMT_MULTIPLANE_OVERLAY3& plane, D3DDDI_FLIPINTERVAL_TYPE interval) {
  if (plane.pPlaneAttributes == nullptr || plane.pAllocationList == nullptr || plane.AllocationCount != 1)
    return STATUS_INVALID_PARAMETER;
  if (plane.FlipInterval != interval || IsStatic(*plane.pPlaneAttributes)) return STATUS_INVALID_PARAMETER;
  if (plane.DriverPrivateDataSize != 0 || plane.hFlipToFence != 0 || plane.hFlipAwayFence != 0) return STATUS_NOT_SUPPORTED;
  return STATUS_SUCCESS;
}

// The planes of a present by layer, the top one first: layer 0 is the top plane.
struct Layers {
  std::array<const D3DKMT_MULTIPLANE_OVERLAY3*, kMaxFlipPlanes> on{};  // by layer, null for one that is off or not named
  std::uint32_t off = 0;                                               // bit N: layer N is named and off
  const D3DKMT_MULTIPLANE_OVERLAY3* first = nullptr;                   // that is on, in the order of the list
};

NTSTATUS Sort(const D3DKMT_PRESENT_MULTIPLANE_OVERLAY3& data, Layers& layers) {
  if (data.PresentPlaneCount == 0 || data.PresentPlaneCount > kMaxFlipPlanes || data.ppPresentPlanes == nullptr ||
      data.ContextCount == 0 || data.pContextList == nullptr) {
    return STATUS_INVALID_PARAMETER;
  }
  D3DKMT_PRESENT_MULTIPLANE_OVERLAY_FLAGS known{};
  known.FlipDoNotWait = 1;
  if ((data.Flags.Value & ~known.Value) != 0 || data.ContextCount != 1 || data.HDRMetaDataSize != 0) return STATUS_NOT_SUPPORTED;
  for (UINT i = 0; i < data.PresentPlaneCount; ++i) {
    const D3DKMT_MULTIPLANE_OVERLAY3* plane = data.ppPresentPlanes[i];
    if (plane == nullptr || plane->InputFlags.Reserved != 0 || plane->LayerIndex >= kMaxFlipPlanes)
      return STATUS_INVALID_PARAMETER;
    const UINT layer = plane->LayerIndex;
    if (layers.on[layer] != nullptr || (layers.off >> layer & 1) != 0) return STATUS_INVALID_PARAMETER;
    if (!plane->InputFlags.Enabled) {
      layers.off |= 1u << layer;
      continue;
    }
    if (layers.first == nullptr) layers.first = plane;
    if (const NTSTATUS status = CheckPlane(*plane, layers.first->FlipInterval); !NT_SUCCESS(status)) return status;
    layers.on[layer] = plane;
  }
  return layers.first == nullptr ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}

NTSTATUS Fill(System& system, const ContextObject& context, const D3DKMT_MULTIPLANE_OVERLAY3& wanted, UINT vidpn_source,
              OverlayQuestion& question, PlaneSet& set, PresentRequest& request) {
  const HandleRef<AllocationObject> object(system.handles(), wanted.pAllocationList[0]);
  if (!object || object->allocation == nullptr) return STATUS_GRAPHICS_INVALID_ALLOCATION_HANDLE;
  if (object->device != context.device.get()) return STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE;
  const std::uint32_t index = set.count++;
  request.source = {object->allocation, object->device_specific, false};  // in the end the lowest plane's
  set.allocations[index] = object->allocation;
  DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2& asked = question.planes[question.plane_count++];
  asked.hAllocation = object->allocation->driver_handle;
  asked.VidPnSourceId = vidpn_source;
  asked.LayerIndex = wanted.LayerIndex;
  ToDriverAttributes(*wanted.pPlaneAttributes, asked.PlaneAttributes);
  set.contexts[index] = {};
  set.contexts[index].hAllocation = object->allocation->driver_handle;
  set.context_pointers[index] = &set.contexts[index];
  DXGK_MULTIPLANE_OVERLAY_PLANE3& plane = set.planes[index];
  plane = {};
  plane.LayerIndex = wanted.LayerIndex;
  plane.InputFlags.Enabled = 1;
  plane.MaxImmediateFlipLine = wanted.MaxImmediateFlipLine;
  plane.ContextCount = 1;
  plane.ppContextData = &set.context_pointers[index];
  plane.PlaneAttributes = asked.PlaneAttributes;
  return STATUS_SUCCESS;
}

NTSTATUS Present(System& system, const D3DKMT_PRESENT_MULTIPLANE_OVERLAY3& data) {
  Layers layers;
  if (const NTSTATUS status = Sort(data, layers); !NT_SUCCESS(status)) return status;
  const HandleRef<ContextObject> context(system.handles(), data.pContextList[0]);
  if (!context) return STATUS_INVALID_PARAMETER;
  AdapterInstance& unit = *context->device->unit;
  const AdapterGuard guard(unit);
  if (!guard.alive() || context->context == nullptr) return STATUS_DEVICE_REMOVED;
  const DXGK_DRIVERCAPS& caps = unit.adapter().caps();
  if (!caps.SupportMultiPlaneOverlay) return STATUS_NOT_SUPPORTED;
  if (data.VidPnSourceId >= std::min(unit.adapter().vidpn_source_count(), kMaxFlipSources)) return STATUS_INVALID_PARAMETER;
  // The driver is asked about planes that are on; of one that is off it hears as it is.
  if ((layers.off >> std::min(caps.MaxOverlayPlanes, kMaxFlipPlanes)) != 0) return STATUS_INVALID_PARAMETER;

  PresentRequest request;
  request.type = PresentType::kFlip;
  request.vidpn_source = data.VidPnSourceId;
  request.interval = layers.first->FlipInterval;
  request.do_not_wait = data.Flags.FlipDoNotWait != 0;
  FlipPlace place(unit.scheduler(), context->context->queue(), request.vidpn_source, WhenFull(request));
  if (!NT_SUCCESS(place.status())) return place.status();
  request.planes = &unit.presenter().planes().Take();
  request.planes->count = 0;
  request.planes->off = layers.off;
  OverlayQuestion question;
  NTSTATUS status = STATUS_SUCCESS;
  for (const D3DKMT_MULTIPLANE_OVERLAY3* plane : layers.on) {
    if (plane != nullptr) status = Fill(system, *context, *plane, data.VidPnSourceId, question, *request.planes, request);
    if (!NT_SUCCESS(status)) break;
  }
  if (!NT_SUCCESS(status)) {
    request.planes->taken.store(false, std::memory_order_release);
    return status;
  }
  request.planes->has_post_composition = data.pPostComposition != nullptr;
  if (data.pPostComposition != nullptr) {
    question.post_composition_count = 1;
    question.post_compositions[0].VidPnSourceId = data.VidPnSourceId;
    ToDriverPostComposition(*data.pPostComposition, question.post_compositions[0].PostComposition);
    request.planes->post_composition = question.post_compositions[0].PostComposition;
  }
  return unit.presenter().PresentPlanes(*context->context, request, question, place);
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTPresentMultiPlaneOverlay3(CONST D3DKMT_PRESENT_MULTIPLANE_OVERLAY3* data) {
  return InThunk(data, [&](System& system) { return Present(system, *data); });
}
