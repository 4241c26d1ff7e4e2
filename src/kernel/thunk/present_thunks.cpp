// D3DKMT*: present, vertical blank, display ownership.
#include "kernel/memory/ddi_call.h"
#include "kernel/memory/limits.h"
#include "kernel/thunk/private_data.h"
#include "kernel/thunk/system.h"

namespace tandem::kernel {
namespace {

// A wait for the vertical blank looks so often if its adapter is being removed.
constexpr std::int64_t kVerticalBlankSliceNs = 100'000'000;

// The flags that a present of this kernel may carry; any other asks for something that it does not do.
NTSTATUS CheckFlags(const D3DKMT_PRESENTFLAGS& flags) {
  D3DKMT_PRESENTFLAGS known{};
  known.Blt = known.ColorFill = known.Flip = 1;
  known.FlipDoNotWait = known.DstRectValid = known.SrcRectValid = 1;
  known.LinearToSrgb = known.CrossAdapter = 1;
  known.SrcColorKey = known.DstColorKey = known.Rotate = known.FlipDoNotFlip = known.PresentCountValid = 1;
  if (flags.FlipStereoTemporaryMono && (flags.FlipStereo || flags.FlipStereoPreferRight)) return STATUS_INVALID_PARAMETER;
  if (!flags.Flip && (flags.FlipStereo || flags.FlipStereoTemporaryMono || flags.FlipStereoPreferRight))
    return STATUS_INVALID_PARAMETER;
  if (!flags.Blt && (flags.BltStereoUseRight || flags.RestrictVidPnSource)) return STATUS_INVALID_PARAMETER;
  if ((flags.Value & ~known.Value) != 0) return STATUS_NOT_SUPPORTED;
  if (flags.Blt + flags.ColorFill + flags.Flip != 1) return STATUS_INVALID_PARAMETER;
  // Flags that only a copy can have, and the three users of Color.
  if (!flags.Blt && (flags.SrcColorKey || flags.DstColorKey || flags.LinearToSrgb)) return STATUS_INVALID_PARAMETER;
  if (flags.SrcColorKey && flags.DstColorKey) return STATUS_INVALID_PARAMETER;
  if (!flags.Flip && (flags.FlipDoNotFlip || flags.PresentCountValid)) return STATUS_INVALID_PARAMETER;
  return flags.Flip && flags.Rotate ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}

NTSTATUS Use(const HandleRef<AllocationObject>& object, const ContextObject& context, bool write, UsedAllocation& used) {
  if (!object || object->allocation == nullptr) return STATUS_GRAPHICS_INVALID_ALLOCATION_HANDLE;
  if (object->device != context.device.get()) return STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE;
  used = {object->allocation, object->device_specific, write};
  return STATUS_SUCCESS;
}

bool IsCrossAdapter(System& system, const HandleRef<AllocationObject>& object) {
  if (!object) return false;
  const HandleRef<ResourceObject> owner(system.handles(), object->resource);
  return owner && owner->resource != nullptr && owner->resource->cross_adapter;
}

NTSTATUS Present(System& system, D3DKMT_PRESENT& data) {
  const HandleRef<ContextObject> context(system.handles(), data.hContext);
  if (!context) return STATUS_INVALID_PARAMETER;
  if (const NTSTATUS status = CheckFlags(data.Flags); !NT_SUCCESS(status)) return status;
  if (data.BroadcastContextCount > D3DDDI_MAX_BROADCAST_CONTEXT || (data.BroadcastContextCount != 0 && !data.Flags.Flip))
    return STATUS_INVALID_PARAMETER;
  if (data.BroadcastContextCount != 0) return STATUS_NOT_SUPPORTED;
  if (!IsPrivateData(data.pPrivateDriverData, data.PrivateDriverDataSize) ||
      (data.pSrcSubRects == nullptr && data.SubRectCnt != 0)) {
    return STATUS_INVALID_PARAMETER;
  }
  AdapterInstance& unit = *context->device->unit;
  const AdapterGuard guard(unit);
  if (!guard.alive() || context->context == nullptr) return STATUS_DEVICE_REMOVED;

  PresentRequest request;
  request.type = data.Flags.Blt ? PresentType::kCopy : data.Flags.ColorFill ? PresentType::kFill : PresentType::kFlip;
  const HandleRef<AllocationObject> source(system.handles(), request.type != PresentType::kFill ? data.hSource : 0);
  const HandleRef<AllocationObject> destination(system.handles(), request.type != PresentType::kFlip ? data.hDestination : 0);
  if (request.type != PresentType::kFill) {
    if (const NTSTATUS status = Use(source, *context, false, request.source); !NT_SUCCESS(status)) return status;
  }
  if (request.type != PresentType::kFlip) {
    if (const NTSTATUS status = Use(destination, *context, true, request.destination); !NT_SUCCESS(status)) return status;
  }
  if (data.Flags.CrossAdapter && !IsCrossAdapter(system, source) && !IsCrossAdapter(system, destination))
    return STATUS_INVALID_PARAMETER;
  request.source_rect = data.Flags.SrcRectValid ? &data.SrcRect : nullptr;
  request.destination_rect = data.Flags.DstRectValid ? &data.DstRect : nullptr;
  request.sub_rects = {data.pSrcSubRects, data.SubRectCnt};
  request.color = data.Color;
  if (data.Flags.SrcColorKey) request.key = PresentColorKey::kSource;
  if (data.Flags.DstColorKey) request.key = PresentColorKey::kDestination;
  request.linear_to_srgb = data.Flags.LinearToSrgb != 0;
  request.rotate = data.Flags.Rotate != 0;
  request.do_not_wait = data.Flags.FlipDoNotWait != 0;
  request.do_not_flip = data.Flags.FlipDoNotFlip != 0;
  request.vidpn_source = data.VidPnSourceId;
  request.interval = data.FlipInterval;
  if (data.Flags.PresentCountValid) request.present_count = data.PresentCount;
  request.private_data = {static_cast<std::byte*>(data.pPrivateDriverData), data.PrivateDriverDataSize};
  return unit.presenter().Present(*context->context, request);
}

NTSTATUS SetDisplayMode(System& system, const D3DKMT_SETDISPLAYMODE& data) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  // Flags.Reserved is not read: in a Linux program's structure the flags take one storage unit, so it would lie behind.
  if (data.ScanLineOrdering > D3DDDI_VSSLO_PROGRESSIVE) return STATUS_NOT_SUPPORTED;
  const AdapterGuard guard(*device->unit);
  if (!guard.alive() || device->device == nullptr) return STATUS_DEVICE_REMOVED;
  const HandleRef<AllocationObject> primary(system.handles(), data.hPrimaryAllocation);
  if (!primary || primary->allocation == nullptr) return STATUS_GRAPHICS_INVALID_ALLOCATION_HANDLE;
  if (primary->device->device != device->device) return STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE;
  return device->unit->presenter().modes().SetDisplayMode(*device->device, *primary->allocation, data.DisplayOrientation);
}

NTSTATUS SetOwners(System& system, const D3DKMT_SETVIDPNSOURCEOWNER& data) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*device->unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  Presenter& presenter = device->unit->presenter();
  if (data.VidPnSourceCount == 0) {
    presenter.ReleaseOwner(*device->device);
    return STATUS_SUCCESS;
  }
  if (data.VidPnSourceCount > kMaxFlipSources || data.pType == nullptr || data.pVidPnSourceId == nullptr)
    return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < data.VidPnSourceCount; ++i) {
    if (const NTSTATUS status = presenter.SetOwner(data.pVidPnSourceId[i], *device->device, data.pType[i]); !NT_SUCCESS(status))
      return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS CheckOwnership(System& system, const D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP& data) {
  const HandleRef<AdapterObject> adapter(system.handles(), data.hAdapter);
  if (!adapter) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*adapter->unit);
  return guard.alive() ? adapter->unit->presenter().CheckExclusiveOwnership(data.VidPnSourceId) : STATUS_DEVICE_REMOVED;
}

// One slice; STATUS_TIMEOUT: look again.
NTSTATUS WaitForBlankSlice(AdapterInstance& unit, D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  const AdapterGuard guard(unit);
  if (!guard.alive() || unit.lost()) return STATUS_DEVICE_REMOVED;
  return unit.presenter().WaitForVerticalBlank(vidpn_source, kVerticalBlankSliceNs);
}

NTSTATUS WaitForBlank(System& system, const D3DKMT_WAITFORVERTICALBLANKEVENT& data) {
  std::shared_ptr<AdapterInstance> unit;
  {
    const HandleRef<AdapterObject> adapter(system.handles(), data.hAdapter);
    if (!adapter) return STATUS_INVALID_PARAMETER;
    unit = adapter->unit;
  }
  NTSTATUS status = STATUS_TIMEOUT;
  while (status == STATUS_TIMEOUT) status = WaitForBlankSlice(*unit, data.VidPnSourceId);
  return status;
}

NTSTATUS GetScanLine(System& system, D3DKMT_GETSCANLINE& data) {
  const HandleRef<AdapterObject> object(system.handles(), data.hAdapter);
  if (!object) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*object->unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  Adapter& adapter = object->unit->adapter();
  if (data.VidPnSourceId >= adapter.vidpn_source_count()) return STATUS_INVALID_PARAMETER;
  DXGKARG_GETSCANLINE args{};
  const auto target = object->unit->presenter().modes().PrimaryTarget(data.VidPnSourceId);
  if (!target) return STATUS_GRAPHICS_SOURCE_NOT_IN_TOPOLOGY;
  args.VidPnTargetId = *target;
  const NTSTATUS status =
      CallDdi(adapter, Ddi::kGetScanLine, adapter.ddi().DxgkDdiGetScanLine, adapter.miniport_context(), &args);
  data.InVerticalBlank = args.InVerticalBlank;
  data.ScanLine = args.ScanLine;
  return status;
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTPresent(D3DKMT_PRESENT* data) {
  return InThunk(data, [&](System& system) { return Present(system, *data); });
}

NTSTATUS APIENTRY D3DKMTSetDisplayMode(D3DKMT_SETDISPLAYMODE* data) {
  return InThunk(data, [&](System& system) { return SetDisplayMode(system, *data); });
}

NTSTATUS APIENTRY D3DKMTSetVidPnSourceOwner(CONST D3DKMT_SETVIDPNSOURCEOWNER* data) {
  return InThunk(data, [&](System& system) { return SetOwners(system, *data); });
}

NTSTATUS APIENTRY D3DKMTCheckVidPnExclusiveOwnership(CONST D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP* data) {
  return InThunk(data, [&](System& system) { return CheckOwnership(system, *data); });
}

NTSTATUS APIENTRY D3DKMTWaitForVerticalBlankEvent(CONST D3DKMT_WAITFORVERTICALBLANKEVENT* data) {
  return InThunk(data, [&](System& system) { return WaitForBlank(system, *data); });
}

NTSTATUS APIENTRY D3DKMTGetScanLine(D3DKMT_GETSCANLINE* data) {
  return InThunk(data, [&](System& system) { return GetScanLine(system, *data); });
}
