// The part of MemoryManager that asks a driver for its private data of a cross-adapter surface.
#include <fmt/core.h>

#include "kernel/memory/ddi_call.h"
#include "kernel/memory/limits.h"
#include "kernel/memory/memory_manager.h"

namespace tandem::kernel {

NTSTATUS MemoryManager::DescribeCrossAdapterSurface(const SurfaceDescription& surface, UINT pitch, StandardAllocation& out) {
  D3DKMDT_GDISURFACEDATA gdi{};
  gdi.Width = surface.width;
  gdi.Height = surface.height;
  gdi.Format = surface.format;
  gdi.Type = D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER;
  gdi.Pitch = pitch;
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_GDISURFACE;
  args.pCreateGdiSurfaceData = &gdi;

  const auto function = adapter_.ddi().DxgkDdiGetStandardAllocationDriverData;
  NTSTATUS status = CallDdi(adapter_, Ddi::kGetStandardAllocationDriverData, function, adapter_.miniport_context(), &args);
  if (!NT_SUCCESS(status)) return status;
  if (args.AllocationPrivateDriverDataSize > kMaxPrivateDataBytes || args.ResourcePrivateDriverDataSize > kMaxPrivateDataBytes) {
    adapter_.ReportViolation(
        "GetStandardAllocationDriverData.Size",
        fmt::format("Private data of {} and {} bytes pass the limit of {}.", args.AllocationPrivateDriverDataSize,
                    args.ResourcePrivateDriverDataSize, kMaxPrivateDataBytes));
    return STATUS_DEVICE_REMOVED;
  }
  out.allocation_data.resize(args.AllocationPrivateDriverDataSize);
  out.resource_data.resize(args.ResourcePrivateDriverDataSize);
  args.pAllocationPrivateDriverData = out.allocation_data.empty() ? nullptr : out.allocation_data.data();
  args.pResourcePrivateDriverData = out.resource_data.empty() ? nullptr : out.resource_data.data();
  if (args.pAllocationPrivateDriverData != nullptr || args.pResourcePrivateDriverData != nullptr) {
    gdi.Pitch = pitch;
    status = CallDdi(adapter_, Ddi::kGetStandardAllocationDriverData, function, adapter_.miniport_context(), &args);
    if (!NT_SUCCESS(status)) return status;
  }
  if (gdi.Pitch % D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT != 0) {
    adapter_.ReportViolation("CrossAdapterAllocation.Pitch", fmt::format("Pitch {} is not a multiple of {}.", gdi.Pitch,
                                                                         D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT));
    return STATUS_DEVICE_REMOVED;
  }
  out.pitch = gdi.Pitch;
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
