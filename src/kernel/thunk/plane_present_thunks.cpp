// D3DKMTPresentMultiPlaneOverlay3: planes that are flipped to together.
#include <array>

#include "kernel/thunk/overlay_planes.h"
#include "kernel/thunk/system.h"

namespace tandem::kernel {
namespace {

// What this kernel does: one context, one allocation a plane, flips without stereo, durations or metadata.
NTSTATUS CheckRequest(const D3DKMT_PRESENT_MULTIPLANE_OVERLAY3& data) {
  if (data.PresentPlaneCount == 0 || data.PresentPlaneCount > kMaxFlipPlanes || data.ppPresentPlanes == nullptr ||
      data.ContextCount == 0 || data.pContextList == nullptr) {
    return STATUS_INVALID_PARAMETER;
  }
  if (data.Flags.Value != 0 || data.ContextCount != 1 || data.HDRMetaDataSize != 0) return STATUS_NOT_SUPPORTED;
  for (UINT i = 0; i < data.PresentPlaneCount; ++i) {
    const D3DKMT_MULTIPLANE_OVERLAY3* plane = data.ppPresentPlanes[i];
    if (plane == nullptr || plane->pPlaneAttributes == nullptr || plane->pAllocationList == nullptr)
      return STATUS_INVALID_PARAMETER;
    if (plane->AllocationCount != 1 || plane->InputFlags.Reserved != 0) return STATUS_INVALID_PARAMETER;
    if (plane->FlipInterval != data.ppPresentPlanes[0]->FlipInterval) return STATUS_INVALID_PARAMETER;
    if (IsStatic(*plane->pPlaneAttributes)) return STATUS_INVALID_PARAMETER;
    if (plane->DriverPrivateDataSize != 0 || plane->hFlipToFence != 0 || plane->hFlipAwayFence != 0) return STATUS_NOT_SUPPORTED;
  }
  return STATUS_SUCCESS;
}

// The planes that are enabled, lowest layer first; their number, 0 when two have one layer.
UINT Enabled(const D3DKMT_PRESENT_MULTIPLANE_OVERLAY3& data,
             std::array<const D3DKMT_MULTIPLANE_OVERLAY3*, kMaxFlipPlanes>& enabled) {
  UINT count = 0;
  for (UINT i = 0; i < data.PresentPlaneCount; ++i) {
    const D3DKMT_MULTIPLANE_OVERLAY3* plane = data.ppPresentPlanes[i];
    if (!plane->InputFlags.Enabled) continue;
    UINT place = count++;
    for (; place > 0 && enabled[place - 1]->LayerIndex >= plane->LayerIndex; --place) {
      if (enabled[place - 1]->LayerIndex == plane->LayerIndex) return 0;
      enabled[place] = enabled[place - 1];
    }
    enabled[place] = plane;
  }
  return count;
}

NTSTATUS Fill(System& system, const ContextObject& context, const D3DKMT_MULTIPLANE_OVERLAY3& wanted, UINT vidpn_source,
              OverlayQuestion& question, PlaneSet& set, PresentRequest& request) {
  const HandleRef<AllocationObject> object(system.handles(), wanted.pAllocationList[0]);
  if (!object || object->allocation == nullptr) return STATUS_GRAPHICS_INVALID_ALLOCATION_HANDLE;
  if (object->device != context.device.get()) return STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE;
  const std::uint32_t index = set.count++;
  if (index == 0) request.source = {object->allocation, object->device_specific, false};
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
  if (const NTSTATUS status = CheckRequest(data); !NT_SUCCESS(status)) return status;
  const HandleRef<ContextObject> context(system.handles(), data.pContextList[0]);
  if (!context) return STATUS_INVALID_HANDLE;
  AdapterUnit& unit = *context->device->unit;
  const AdapterGuard guard(unit);
  if (!guard.alive() || context->context == nullptr) return STATUS_DEVICE_REMOVED;
  std::array<const D3DKMT_MULTIPLANE_OVERLAY3*, kMaxFlipPlanes> enabled{};
  const UINT count = Enabled(data, enabled);
  if (count == 0) return STATUS_INVALID_PARAMETER;
  if (!unit.adapter().caps().SupportMultiPlaneOverlay) return STATUS_NOT_SUPPORTED;

  PresentRequest request;
  request.type = PresentType::kFlip;
  request.vidpn_source = data.VidPnSourceId;
  request.interval = enabled[0]->FlipInterval;
  request.planes = unit.presenter().TakePlanes();
  if (request.planes == nullptr) return STATUS_DEVICE_NOT_READY;
  request.planes->count = 0;
  OverlayQuestion question;
  NTSTATUS status = STATUS_SUCCESS;
  for (UINT i = 0; i < count && NT_SUCCESS(status); ++i) {
    status = Fill(system, *context, *enabled[i], data.VidPnSourceId, question, *request.planes, request);
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
  return unit.presenter().PresentPlanes(*context->context, request, question);
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTPresentMultiPlaneOverlay3(CONST D3DKMT_PRESENT_MULTIPLANE_OVERLAY3* data) {
  return InThunk(data, [&](System& system) { return Present(system, *data); });
}
