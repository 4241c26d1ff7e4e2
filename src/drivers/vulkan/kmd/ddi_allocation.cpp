// Allocations: made, described, opened, mapped.
#include <cstring>
#include <new>

#include "base/log.h"
#include "color/format.h"
#include "drivers/common/dma_buffer.h"
#include "drivers/common/standard_surface.h"
#include "drivers/common/status.h"
#include "drivers/vulkan/format.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {
namespace {

bool IsInSystemMemory(AllocationKind kind) { return kind == AllocationKind::kLinear || kind == AllocationKind::kHeap; }

// Images and primaries are where Vulkan puts them and never move; rows of the device's own memory do.
void PlaceIn(AllocationKind kind, DXGK_ALLOCATIONINFO& info) {
  const bool local = kind == AllocationKind::kLocal;
  const std::uint32_t preferred = local ? kMemorySegment : IsInSystemMemory(kind) ? kApertureSegment : kLocalSegment;
  info.PreferredSegment.Value = 0;
  info.PreferredSegment.SegmentId0 = preferred & 0x1FU;
  info.SupportedWriteSegmentSet = drivers::SegmentSet(preferred) | (local ? drivers::SegmentSet(kApertureSegment) : 0);
  info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet;
  info.EvictionSegmentSet = local ? drivers::SegmentSet(kApertureSegment) : 0;
}

// DxgkDdiCreateAllocation has no status for a failed device.
NTSTATUS CreationStatus(const Error& error) {
  const NTSTATUS status = drivers::ToNtStatus(error);
  return status == STATUS_UNSUCCESSFUL ? STATUS_NO_MEMORY : status;
}

// One allocation; `info` gets what the kernel wants to know.
NTSTATUS CreateOne(Miniport& miniport, DXGK_ALLOCATIONINFO& info) {
  Result<AllocationData> data = ValidateAllocationData(info.pPrivateDriverData, info.PrivateDriverDataSize);
  if (!data.ok()) {
    Log(LogLevel::kWarn, "{}", data.error().message);
    return STATUS_INVALID_PARAMETER;
  }
  if (data->kind == AllocationKind::kPrimary && data->vidpn_source >= miniport.vidpn_sources()) {
    return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  }
  if ((data->flags & kShareBackingStore) != 0 && !miniport.ShareBackingStores()) {
    Log(LogLevel::kWarn, "An allocation is to share its backing store, and the feature is not enabled.");
    return STATUS_NOT_SUPPORTED;
  }
  if (data->kind == AllocationKind::kLocal) {
    if (const Result<void> made = miniport.paging().MakeLocalMemory(miniport.description().local_memory_bytes); !made.ok()) {
      Log(LogLevel::kWarn, "{}", made.error().message);
      return CreationStatus(made.error());
    }
  }
  Result<std::unique_ptr<Allocation>> allocation = Allocation::Create(miniport.gpu(), miniport, *data);
  if (!allocation.ok()) {
    Log(LogLevel::kWarn, "{}", allocation.error().message);
    return CreationStatus(allocation.error());
  }
  info.Size = data->size;
  info.Alignment = PAGE_SIZE;
  PlaceIn(data->kind, info);
  info.Flags.Value = 0;
  info.Flags.CpuVisible = IsInSystemMemory(data->kind) ? 1 : 0;
  info.Flags2.Value = 0;
  info.Flags2.ShareBackingStoreWithKmd = (data->flags & kShareBackingStore) != 0 ? 1 : 0;
  info.AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  data->object = reinterpret_cast<std::uintptr_t>(allocation->get());
  std::memcpy(info.pPrivateDriverData, &*data, sizeof(*data));
  if (data->kind == AllocationKind::kPrimary && data->format == drivers::kPaletteFormat)
    miniport.blits().AddPalettePrimary(**allocation);
  info.hAllocation = allocation->release();
  return STATUS_SUCCESS;
}

Result<AllocationData> Describe(const drivers::StandardSurface& surface) {
  if (surface.heap) return DescribeHeap(surface.width);
  const AllocationKind kind = surface.use == drivers::StandardUse::kPrimary  ? AllocationKind::kPrimary
                              : surface.use == drivers::StandardUse::kShared ? AllocationKind::kLinear
                                                                             : AllocationKind::kLocal;
  auto data = DescribeSurface(kind, surface.width, surface.height, surface.format, surface.pitch);
  if (data.ok()) data->vidpn_source = surface.vidpn_source;
  return data;
}

}  // namespace

NTSTATUS VulkanCreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* args) {
  auto& miniport = *static_cast<Miniport*>(adapter);
  if (miniport.lost()) return STATUS_DEVICE_REMOVED;
  for (UINT i = 0; i < args->NumAllocations; ++i) {
    const NTSTATUS status = CreateOne(miniport, args->pAllocationInfo[i]);
    if (NT_SUCCESS(status)) continue;
    while (i-- > 0) {
      auto* allocation = static_cast<Allocation*>(args->pAllocationInfo[i].hAllocation);
      miniport.Forget(*allocation);
      delete allocation;
    }
    return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS VulkanDestroyAllocation(HANDLE adapter, CONST DXGKARG_DESTROYALLOCATION* args) {
  for (UINT i = 0; i < args->NumAllocations; ++i) {
    auto* allocation = static_cast<Allocation*>(args->pAllocationList[i]);
    static_cast<Miniport*>(adapter)->Forget(*allocation);
    delete allocation;
  }
  return STATUS_SUCCESS;
}

NTSTATUS VulkanDescribeAllocation(HANDLE, DXGKARG_DESCRIBEALLOCATION* args) {
  const AllocationData& data = static_cast<const Allocation*>(args->hAllocation)->data();
  drivers::DescribeAllocation(data.width, data.height, data.format, *args);
  return STATUS_SUCCESS;
}

NTSTATUS VulkanGetStandardAllocationDriverData(HANDLE adapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* args) {
  const auto surface = drivers::ReadStandardSurface(*args, static_cast<Miniport*>(adapter)->vidpn_sources());
  const auto data = surface.ok() ? Describe(*surface) : Result<AllocationData>(surface.error());
  if (!data.ok()) {
    Log(LogLevel::kWarn, "{}", data.error().message);
    return drivers::ToNtStatus(data.error());
  }
  drivers::WritePitch(*args, *surface, data->pitch);
  return drivers::WriteAllocationData(*args, *data);
}

NTSTATUS VulkanOpenAllocation(HANDLE device, CONST DXGKARG_OPENALLOCATION* args) {
  const DXGKRNL_INTERFACE& callbacks = static_cast<Device*>(device)->miniport->callbacks();
  for (UINT i = 0; i < args->NumAllocations; ++i) {
    auto* allocation = drivers::AllocationOf<Allocation>(callbacks, args->pOpenAllocation[i].hAllocation);
    auto* opened = allocation == nullptr ? nullptr : new (std::nothrow) OpenedAllocation{allocation};
    if (opened == nullptr) {
      while (i-- > 0) delete static_cast<OpenedAllocation*>(args->pOpenAllocation[i].hDeviceSpecificAllocation);
      return allocation == nullptr ? STATUS_INVALID_HANDLE : STATUS_NO_MEMORY;
    }
    args->pOpenAllocation[i].hDeviceSpecificAllocation = opened;
  }
  return STATUS_SUCCESS;
}

NTSTATUS VulkanCloseAllocation(HANDLE, CONST DXGKARG_CLOSEALLOCATION* args) {
  for (UINT i = 0; i < args->NumAllocations; ++i) delete static_cast<OpenedAllocation*>(args->pOpenHandleList[i]);
  return STATUS_SUCCESS;
}

}  // namespace tandem::vulkan
