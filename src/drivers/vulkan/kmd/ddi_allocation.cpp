// Allocations: made, described, opened, mapped.
#include <cstring>
#include <new>

#include "base/log.h"
#include "color/format.h"
#include "drivers/vulkan/format.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {
namespace {

bool IsInSystemMemory(AllocationKind kind) { return kind == AllocationKind::kLinear || kind == AllocationKind::kHeap; }

constexpr UINT SegmentSet(std::uint32_t segment) { return 1U << (segment - 1); }

// Images and primaries are where Vulkan puts them and never move; rows of the device's own memory do.
void PlaceIn(AllocationKind kind, DXGK_ALLOCATIONINFO& info) {
  const bool local = kind == AllocationKind::kLocal;
  const std::uint32_t preferred = local ? kMemorySegment : IsInSystemMemory(kind) ? kApertureSegment : kLocalSegment;
  info.PreferredSegment.Value = 0;
  info.PreferredSegment.SegmentId0 = preferred & 0x1FU;
  info.SupportedWriteSegmentSet = SegmentSet(preferred) | (local ? SegmentSet(kApertureSegment) : 0);
  info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet;
  info.EvictionSegmentSet = local ? SegmentSet(kApertureSegment) : 0;
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
    if (const Result<void> made = miniport.MakeLocalMemory(); !made.ok()) {
      Log(LogLevel::kWarn, "{}", made.error().message);
      return ToNtStatus(made.error().kind);
    }
  }
  Result<std::unique_ptr<Allocation>> allocation = Allocation::Create(miniport.gpu(), miniport, *data);
  if (!allocation.ok()) {
    Log(LogLevel::kWarn, "{}", allocation.error().message);
    return ToNtStatus(allocation.error().kind);
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
  if (data->kind == AllocationKind::kPrimary && data->format == kPaletteFormat) miniport.AddPalettePrimary(**allocation);
  info.hAllocation = allocation->release();
  return STATUS_SUCCESS;
}

Result<AllocationData> DescribeGdi(D3DKMDT_GDISURFACEDATA& gdi) {
  AllocationKind kind = AllocationKind::kLinear;
  switch (gdi.Type) {
    case D3DKMDT_GDISURFACE_TEXTURE: kind = AllocationKind::kLocal; break;
    case D3DKMDT_GDISURFACE_STAGING:
    case D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE:
    case D3DKMDT_GDISURFACE_EXISTINGSYSMEM:
    case D3DKMDT_GDISURFACE_TEXTURE_CPUVISIBLE:
    case D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER:
    case D3DKMDT_GDISURFACE_TEXTURE_CPUVISIBLE_CROSSADAPTER: break;
    default: return Fail(ErrorKind::kUnsupported, "GDI surfaces of type {} are not made.", static_cast<int>(gdi.Type));
  }
  // Existing system memory arrives as a row of bytes without a format.
  const bool heap = kind == AllocationKind::kLinear && gdi.Format == D3DDDIFMT_UNKNOWN && gdi.Height == 1;
  Result<AllocationData> data =
      heap ? DescribeHeap(gdi.Width) : DescribeSurface(kind, gdi.Width, gdi.Height, ToColorFormat(gdi.Format), gdi.Pitch);
  if (data.ok()) gdi.Pitch = heap ? 0 : data->pitch;
  return data;
}

// Surfaces that the kernel makes without a user-mode driver.
Result<AllocationData> DescribeStandard(const Miniport& miniport, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& args) {
  switch (args.StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE: {
      const auto& primary = *args.pCreateSharedPrimarySurfaceData;
      if (primary.VidPnSourceId >= miniport.vidpn_sources()) {
        return Fail(ErrorKind::kInvalidArgument, "Source {} is not below {}.", static_cast<std::uint32_t>(primary.VidPnSourceId),
                    miniport.vidpn_sources());
      }
      auto data = DescribeSurface(AllocationKind::kPrimary, primary.Width, primary.Height, ToColorFormat(primary.Format), 0);
      if (data.ok()) data->vidpn_source = primary.VidPnSourceId;
      return data;
    }
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE: {
      auto& shadow = *args.pCreateShadowSurfaceData;
      auto data = DescribeSurface(AllocationKind::kLinear, shadow.Width, shadow.Height, ToColorFormat(shadow.Format), 0);
      if (data.ok()) shadow.Pitch = data->pitch;
      return data;
    }
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE: {
      auto& staging = *args.pCreateStagingSurfaceData;
      auto data = DescribeSurface(AllocationKind::kLinear, staging.Width, staging.Height, color::Format::kB8G8R8A8Unorm, 0);
      if (data.ok()) staging.Pitch = data->pitch;
      return data;
    }
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE: return DescribeGdi(*args.pCreateGdiSurfaceData);
    default: break;
  }
  return Fail(ErrorKind::kUnsupported, "Standard allocations of type {} are not made.",
              static_cast<int>(args.StandardAllocationType));
}

}  // namespace

NTSTATUS ToNtStatus(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidArgument: return STATUS_INVALID_PARAMETER;
    case ErrorKind::kOutOfMemory: return STATUS_NO_MEMORY;
    case ErrorKind::kOutOfVideoMemory: return STATUS_GRAPHICS_NO_VIDEO_MEMORY;
    case ErrorKind::kUnsupported: return STATUS_NOT_SUPPORTED;
    default: return STATUS_UNSUCCESSFUL;
  }
}

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

NTSTATUS VulkanGetStandardAllocationDriverData(HANDLE adapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* args) {
  if (args->pCreateGdiSurfaceData == nullptr) return STATUS_INVALID_PARAMETER;  // of the union, whichever it is
  Result<AllocationData> data = DescribeStandard(*static_cast<Miniport*>(adapter), *args);
  if (!data.ok()) {
    Log(LogLevel::kWarn, "{}", data.error().message);
    return ToNtStatus(data.error().kind);
  }
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

}  // namespace tandem::vulkan
