// D3DKMTCheckMultiPlaneOverlaySupport3: can the display adapter show these planes?
#include "kernel/present/overlay_checks.h"
#include "kernel/thunk/overlay_planes.h"
#include "kernel/thunk/system.h"

namespace tandem::kernel {
namespace {

// A plane with StaticCheck is asked about alone.
NTSTATUS CheckPlanes(const D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3& data) {
  if (data.PlaneCount == 0 || data.PlaneCount > kMaxOverlayPlanes || data.ppOverlayPlanes == nullptr)
    return STATUS_INVALID_PARAMETER;
  bool any_static = false;
  for (UINT i = 0; i < data.PlaneCount; ++i) {
    const auto* plane = data.ppOverlayPlanes[i];
    if (plane == nullptr || plane->pPlaneAttributes == nullptr) return STATUS_INVALID_PARAMETER;
    any_static = any_static || IsStatic(*plane->pPlaneAttributes);
  }
  if (any_static && (data.PlaneCount != 1 || data.PostCompositionCount != 0)) return STATUS_INVALID_PARAMETER;
  if (data.PostCompositionCount > kMaxPostCompositions || (data.PostCompositionCount != 0 && data.ppPostComposition == nullptr)) {
    return STATUS_INVALID_PARAMETER;
  }
  for (UINT i = 0; i < data.PostCompositionCount; ++i) {
    if (data.ppPostComposition[i] == nullptr) return STATUS_INVALID_PARAMETER;
  }
  return STATUS_SUCCESS;
}

NTSTATUS ToDriverPlane(System& system, const DeviceObject& device, const D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3& plane,
                       DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2& out) {
  const HandleRef<ResourceObject> resource(system.handles(), plane.hResource);
  if (!resource || resource->resource == nullptr || resource->resource->allocations.size() != 1) return STATUS_INVALID_PARAMETER;
  if (resource->device.get() != &device) return STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE;
  if (plane.VidPnSourceId >= device.unit->adapter().vidpn_source_count()) return STATUS_INVALID_PARAMETER;
  out.hAllocation = resource->resource->allocations.front()->driver_handle;
  out.VidPnSourceId = plane.VidPnSourceId;
  out.LayerIndex = plane.LayerIndex;
  ToDriverAttributes(*plane.pPlaneAttributes, out.PlaneAttributes);
  return STATUS_SUCCESS;
}

NTSTATUS ToDriverPost(const DeviceObject& device, const D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE& wanted,
                      DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE& out) {
  if (wanted.VidPnSourceId >= device.unit->adapter().vidpn_source_count()) return STATUS_INVALID_PARAMETER;
  out.VidPnSourceId = wanted.VidPnSourceId;
  ToDriverPostComposition(wanted.PostComposition, out.PostComposition);
  return STATUS_SUCCESS;
}

NTSTATUS Check(System& system, D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3& data) {
  data.Supported = FALSE;
  data.ReturnInfo.Value = 0;
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  if (const NTSTATUS status = CheckPlanes(data); !NT_SUCCESS(status)) return status;
  const AdapterGuard guard(*device->unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  OverlayQuestion question;
  question.plane_count = data.PlaneCount;
  for (UINT i = 0; i < data.PlaneCount; ++i) {
    const NTSTATUS status = ToDriverPlane(system, *device, *data.ppOverlayPlanes[i], question.planes[i]);
    if (!NT_SUCCESS(status)) return status;
  }
  question.post_composition_count = data.PostCompositionCount;
  for (UINT i = 0; i < data.PostCompositionCount; ++i) {
    const NTSTATUS status = ToDriverPost(*device, *data.ppPostComposition[i], question.post_compositions[i]);
    if (!NT_SUCCESS(status)) return status;
  }
  OverlayAnswer answer;
  const NTSTATUS status = device->unit->presenter().overlay_checks().Ask(question, answer);
  if (!NT_SUCCESS(status)) return status;
  data.Supported = answer.supported ? TRUE : FALSE;
  data.ReturnInfo.Value = answer.info.Value;
  return STATUS_SUCCESS;
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTCheckMultiPlaneOverlaySupport3(D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3* data) {
  return InThunk(data, [&](System& system) { return Check(system, *data); });
}
