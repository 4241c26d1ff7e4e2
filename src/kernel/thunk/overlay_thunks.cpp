// D3DKMTCheckMultiPlaneOverlaySupport3: can the display adapter show these planes?
#include <array>

#include <fmt/core.h>

#include "kernel/memory/ddi_call.h"
#include "kernel/thunk/system.h"

namespace tandem::kernel {
namespace {

constexpr UINT kMaxPlanes = 16;  // ReturnInfo.FailingPlane has four bits

bool IsStatic(const D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3& plane) {
  D3DKMT_MULTIPLANE_OVERLAY_FLAGS flags{};
  flags.Value = plane.pPlaneAttributes->Flags;
  return flags.StaticCheck != 0;
}

// A plane with StaticCheck is asked about alone.
NTSTATUS CheckPlanes(const D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3& data) {
  if (data.PlaneCount == 0 || data.PlaneCount > kMaxPlanes || data.ppOverlayPlanes == nullptr) return STATUS_INVALID_PARAMETER;
  bool any_static = false;
  for (UINT i = 0; i < data.PlaneCount; ++i) {
    const auto* plane = data.ppOverlayPlanes[i];
    if (plane == nullptr || plane->pPlaneAttributes == nullptr) return STATUS_INVALID_PARAMETER;
    any_static = any_static || IsStatic(*plane);
  }
  if (any_static && (data.PlaneCount != 1 || data.PostCompositionCount != 0)) return STATUS_INVALID_PARAMETER;
  return data.PostCompositionCount == 0 ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED;
}

NTSTATUS ToDriverPlane(System& system, const DeviceObject& device, const D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3& plane,
                       DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2& out) {
  const HandleRef<ResourceObject> resource(system.handles(), plane.hResource);
  if (!resource || resource->resource == nullptr || resource->resource->allocations.size() != 1) return STATUS_INVALID_HANDLE;
  if (resource->device.get() != &device) return STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE;
  if (plane.VidPnSourceId >= device.unit->adapter().vidpn_source_count()) return STATUS_INVALID_PARAMETER;
  const D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3& wanted = *plane.pPlaneAttributes;
  out.hAllocation = resource->resource->allocations.front()->driver_handle;
  out.VidPnSourceId = plane.VidPnSourceId;
  out.LayerIndex = plane.LayerIndex;
  out.PlaneAttributes.Flags.Value = wanted.Flags;
  out.PlaneAttributes.SrcRect = wanted.SrcRect;
  out.PlaneAttributes.DstRect = wanted.DstRect;
  out.PlaneAttributes.ClipRect = wanted.ClipRect;
  out.PlaneAttributes.Rotation = wanted.Rotation;
  out.PlaneAttributes.Blend.AlphaBlend = wanted.Blend == D3DKMT_MULTIPLANE_OVERLAY_BLEND_ALPHABLEND ? 1u : 0u;
  out.PlaneAttributes.ColorSpaceType = wanted.ColorSpace;
  out.PlaneAttributes.StretchQuality = static_cast<DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY>(wanted.StretchQuality);
  out.PlaneAttributes.SDRWhiteLevel = wanted.SDRWhiteLevel;
  return STATUS_SUCCESS;
}

NTSTATUS Ask(Adapter& adapter, DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& args) {
  if (adapter.ddi().DxgkDdiCheckMultiPlaneOverlaySupport3 == nullptr) return STATUS_NOT_SUPPORTED;
  const NTSTATUS status = CallDdi(adapter, Ddi::kCheckMultiPlaneOverlaySupport3,
                                  adapter.ddi().DxgkDdiCheckMultiPlaneOverlaySupport3, adapter.miniport_context(), &args);
  if (!NT_SUCCESS(status)) return status;
  if (!args.Supported && args.ReturnInfo.FailingPlane >= args.PlaneCount) {
    adapter.ReportViolation(
        "CheckMultiPlaneOverlaySupport3.FailingPlane",
        fmt::format("Plane {} of {} is said to fail.", static_cast<UINT>(args.ReturnInfo.FailingPlane), args.PlaneCount));
    return STATUS_DEVICE_REMOVED;
  }
  return STATUS_SUCCESS;
}

NTSTATUS Check(System& system, D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3& data) {
  data.Supported = FALSE;
  data.ReturnInfo.Value = 0;
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_HANDLE;
  if (const NTSTATUS status = CheckPlanes(data); !NT_SUCCESS(status)) return status;
  const AdapterGuard guard(*device->unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  std::array<DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2, kMaxPlanes> planes{};
  std::array<DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2*, kMaxPlanes> pointers{};
  for (UINT i = 0; i < data.PlaneCount; ++i) {
    pointers[i] = &planes[i];
    if (const NTSTATUS status = ToDriverPlane(system, *device, *data.ppOverlayPlanes[i], planes[i]); !NT_SUCCESS(status)) {
      return status;
    }
  }
  DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3 args{};
  args.PlaneCount = data.PlaneCount;
  args.ppPlanes = pointers.data();
  const NTSTATUS status = Ask(device->unit->adapter(), args);
  if (!NT_SUCCESS(status)) return status;
  data.Supported = args.Supported;
  data.ReturnInfo.Value = args.ReturnInfo.Value;
  return STATUS_SUCCESS;
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTCheckMultiPlaneOverlaySupport3(D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3* data) {
  return InThunk(data, [&](System& system) { return Check(system, *data); });
}
