// Allocations: made, described, opened, mapped.
#include <cstring>
#include <new>

#include "base/log.h"
#include "drivers/vulkan/format.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {
namespace {

NTSTATUS ToStatus(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidArgument: return STATUS_INVALID_PARAMETER;
    case ErrorKind::kOutOfMemory: return STATUS_NO_MEMORY;
    case ErrorKind::kUnsupported: return STATUS_NOT_SUPPORTED;
    default: return STATUS_UNSUCCESSFUL;
  }
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
  Result<std::unique_ptr<Allocation>> allocation = Allocation::Create(miniport.gpu(), miniport, *data);
  if (!allocation.ok()) {
    Log(LogLevel::kWarn, "{}", allocation.error().message);
    return ToStatus(allocation.error().kind);
  }
  const bool system_memory = data->kind == AllocationKind::kLinear || data->kind == AllocationKind::kHeap;
  const std::uint32_t segment = system_memory ? kApertureSegment : kLocalSegment;
  info.Size = data->size;
  info.Alignment = PAGE_SIZE;
  info.PreferredSegment.SegmentId0 = segment & 0x1FU;
  info.SupportedReadSegmentSet = 1U << (segment - 1);
  info.SupportedWriteSegmentSet = 1U << (segment - 1);
  info.EvictionSegmentSet = 0;
  info.Flags.Value = 0;
  info.Flags.CpuVisible = system_memory ? 1 : 0;
  info.AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  data->object = reinterpret_cast<std::uintptr_t>(allocation->get());
  std::memcpy(info.pPrivateDriverData, &*data, sizeof(*data));
  info.hAllocation = allocation->release();
  return STATUS_SUCCESS;
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
  args->Width = data.width;
  args->Height = data.height;
  args->Format = ToD3dddiFormat(data.format);
  args->MultisampleMethod = {};
  args->RefreshRate = {};
  args->Rotation = D3DDDI_ROTATION_IDENTITY;
  return STATUS_SUCCESS;
}

NTSTATUS VulkanGetStandardAllocationDriverData(HANDLE, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* args) {
  if (args->StandardAllocationType != D3DKMDT_STANDARDALLOCATION_GDISURFACE || args->pCreateGdiSurfaceData == nullptr) {
    return STATUS_NOT_SUPPORTED;
  }
  D3DKMDT_GDISURFACEDATA& gdi = *args->pCreateGdiSurfaceData;
  if (gdi.Type != D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER && gdi.Type != D3DKMDT_GDISURFACE_TEXTURE_CPUVISIBLE_CROSSADAPTER) {
    return STATUS_NOT_SUPPORTED;
  }
  // Existing system memory arrives as a row of bytes without a format.
  Result<AllocationData> data =
      gdi.Format == D3DDDIFMT_UNKNOWN && gdi.Height == 1
          ? DescribeHeap(gdi.Width)
          : DescribeSurface(AllocationKind::kLinear, gdi.Width, gdi.Height, ToColorFormat(gdi.Format), gdi.Pitch);
  if (!data.ok()) {
    Log(LogLevel::kWarn, "{}", data.error().message);
    return STATUS_INVALID_PARAMETER;
  }
  gdi.Pitch = data->kind == AllocationKind::kHeap ? 0 : data->pitch;
  if (args->pAllocationPrivateDriverData != nullptr) {
    if (args->AllocationPrivateDriverDataSize < sizeof(AllocationData)) return STATUS_BUFFER_TOO_SMALL;
    std::memcpy(args->pAllocationPrivateDriverData, &*data, sizeof(AllocationData));
  }
  args->AllocationPrivateDriverDataSize = sizeof(AllocationData);
  args->ResourcePrivateDriverDataSize = 0;
  return STATUS_SUCCESS;
}

NTSTATUS VulkanOpenAllocation(HANDLE device, CONST DXGKARG_OPENALLOCATION* args) {
  const DXGKRNL_INTERFACE& callbacks = static_cast<Device*>(device)->miniport->callbacks();
  for (UINT i = 0; i < args->NumAllocations; ++i) {
    DXGKARGCB_GETHANDLEDATA query{};
    query.hObject = args->pOpenAllocation[i].hAllocation;
    query.Type = DXGK_HANDLE_ALLOCATION;
    auto* allocation = static_cast<Allocation*>(callbacks.DxgkCbGetHandleData(&query));
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

// Mapping is the CPU's work, so no DMA buffer is written. Allocations of segment 1 are never evicted (EvictionSegmentSet 0):
// there is nothing to transfer and nothing to fill.
NTSTATUS VulkanBuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
  auto& miniport = *static_cast<Miniport*>(adapter);
  if (args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) {
    const auto& map = args->MapApertureSegment;
    auto* allocation = static_cast<Allocation*>(map.hAllocation);
    if (allocation == nullptr || map.pMdl == nullptr) return STATUS_SUCCESS;
    auto* pages = static_cast<std::byte*>(MmGetMdlVirtualAddress(map.pMdl)) + std::uint64_t{map.MdlOffset} * PAGE_SIZE;
    const Result<void> mapped =
        allocation->Map(pages, std::uint64_t{map.NumberOfPages} * PAGE_SIZE, miniport.may_import(map.pMdl->BackingFd >= 0));
    if (!mapped.ok()) Log(LogLevel::kError, "A shared surface cannot be used: {}", mapped.error().message);
  } else if (args->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT) {
    auto* allocation = static_cast<Allocation*>(args->UnmapApertureSegment.hAllocation);
    if (allocation == nullptr) return STATUS_SUCCESS;
    miniport.Forget(*allocation);
    allocation->Unmap();
  }
  return STATUS_SUCCESS;
}

}  // namespace tandem::vulkan
