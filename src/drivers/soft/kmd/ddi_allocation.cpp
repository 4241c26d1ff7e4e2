// Devices, contexts and allocations.

#include "base/log.h"
#include "color/format.h"
#include "drivers/soft/kmd/ddi.h"
#include "drivers/soft/kmd/device.h"

namespace tandem::soft {
namespace {

constexpr UINT kDmaBufferBytes = 64 * 1024;  // more than 1,000 copies; one rectangle always fits
constexpr UINT kAllocationListEntries = 256;
constexpr UINT kPatchLocationEntries = 4096;

constexpr UINT SegmentSet(std::uint32_t segment_id) { return 1U << (segment_id - 1); }

void FillAllocationInfo(const AllocationData& data, Allocation* allocation, DXGK_ALLOCATIONINFO& info) {
  const bool shared_memory = (data.flags & (kAllocationCrossAdapter | kAllocationSharedWithKmd)) != 0;
  const std::uint32_t segment = shared_memory ? kApertureSegment : kLocalSegment;
  info.Alignment = kGpuPageBytes;
  info.Size = data.size;
  info.PitchAlignedSize = 0;
  info.HintedBank.Value = 0;
  info.PreferredSegment.Value = 0;
  info.PreferredSegment.SegmentId0 = segment & 0x1F;
  info.SupportedReadSegmentSet = SegmentSet(segment);
  info.SupportedWriteSegmentSet = SegmentSet(segment);
  info.EvictionSegmentSet = SegmentSet(kApertureSegment);
  info.MaximumRenamingListLength = 0;
  info.hAllocation = allocation;
  info.FlagsWddm2.Value = 0;
  info.FlagsWddm2.CpuVisible = 1;
  info.pAllocationUsageHint = nullptr;
  info.AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  info.Flags2.Value = 0;
  info.Flags2.ShareBackingStoreWithKmd = (data.flags & kAllocationSharedWithKmd) != 0 ? 1 : 0;
}

NTSTATUS CreateOne(Device& device, DXGK_ALLOCATIONINFO& info) {
  const auto data = ValidateAllocationData(info.pPrivateDriverData, info.PrivateDriverDataSize);
  if (!data.ok()) {
    Log(LogLevel::kWarn, "CreateAllocation refused: {}", data.error().message);
    return STATUS_INVALID_PARAMETER;
  }
  if ((data->flags & kAllocationSharedWithKmd) != 0 &&
      device.features().Query(DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD).Enabled == 0) {
    Log(LogLevel::kWarn, "CreateAllocation refused: backing stores are not shared with the kernel-mode half.");
    return STATUS_NOT_SUPPORTED;
  }
  if ((data->flags & kAllocationPrimary) != 0 && !device.ScansOut(data->format)) {
    Log(LogLevel::kWarn, "CreateAllocation refused: the display controller does not read primaries of format {}.",
        static_cast<std::uint32_t>(data->format));
    return STATUS_NOT_SUPPORTED;
  }
  auto* allocation = device.objects().Create<Allocation>(*data);
  if (allocation == nullptr) return STATUS_NO_MEMORY;
  FillAllocationInfo(*data, allocation, info);
  return STATUS_SUCCESS;
}

// Surfaces that the kernel makes without a user-mode driver.
Result<AllocationData> DescribeStandard(const Device& device, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& standard) {
  constexpr color::Format kDefault = color::Format::kB8G8R8A8Unorm;
  switch (standard.StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE: {
      const auto& primary = *standard.pCreateSharedPrimarySurfaceData;
      if (primary.VidPnSourceId >= device.source_count()) {
        return Fail(ErrorKind::kInvalidArgument, "Source {} is not below {}.", static_cast<std::uint32_t>(primary.VidPnSourceId),
                    device.source_count());
      }
      return DescribeSurface(primary.Width, primary.Height, ToColorFormat(primary.Format), kAllocationPrimary,
                             primary.VidPnSourceId);
    }
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE: {
      auto& shadow = *standard.pCreateShadowSurfaceData;
      auto data = DescribeSurface(shadow.Width, shadow.Height, ToColorFormat(shadow.Format), kAllocationCrossAdapter, 0);
      if (data.ok()) shadow.Pitch = data->pitch;
      return data;
    }
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE: {
      auto& staging = *standard.pCreateStagingSurfaceData;
      auto data = DescribeSurface(staging.Width, staging.Height, kDefault, kAllocationCrossAdapter, 0);
      if (data.ok()) staging.Pitch = data->pitch;
      return data;
    }
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE: {
      auto& gdi = *standard.pCreateGdiSurfaceData;
      const bool cross_adapter =
          gdi.Type == D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER || gdi.Type == D3DKMDT_GDISURFACE_TEXTURE_CPUVISIBLE_CROSSADAPTER;
      const bool heap = cross_adapter && gdi.Format == D3DDDIFMT_UNKNOWN && gdi.Height == 1;
      auto data = heap ? DescribeHeap(gdi.Width)
                       : DescribeSurface(gdi.Width, gdi.Height, ToColorFormat(gdi.Format),
                                         cross_adapter ? kAllocationCrossAdapter : 0, 0);
      if (data.ok() && cross_adapter && !heap && gdi.Pitch != 0) data = WithPitch(*data, gdi.Pitch);  // memory of another adapter
      if (data.ok()) gdi.Pitch = data->pitch;
      return data;
    }
    default: break;
  }
  return Fail(ErrorKind::kUnsupported, "Standard allocation type {} is not one of the soft adapter's.",
              static_cast<int>(standard.StandardAllocationType));
}

}  // namespace

NTSTATUS SoftCreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* create) {
  auto& device = *static_cast<Device*>(adapter);
  auto* handle = device.objects().Create<DeviceHandle>(device);
  if (handle == nullptr) return STATUS_NO_MEMORY;
  create->hDevice = handle;
  return STATUS_SUCCESS;
}

NTSTATUS SoftDestroyDevice(HANDLE device) {
  auto* const handle = static_cast<DeviceHandle*>(device);
  handle->device->objects().Destroy(handle);
  return STATUS_SUCCESS;
}

NTSTATUS SoftCreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) {
  if (create->NodeOrdinal >= kNodeCount || create->Flags.VirtualAddressing != 0 || create->Flags.HwQueueSupported != 0) {
    return STATUS_INVALID_PARAMETER;
  }
  Device& owner = *static_cast<DeviceHandle*>(device)->device;
  auto* context = owner.objects().Create<ContextHandle>(owner, create->NodeOrdinal);
  if (context == nullptr) return STATUS_NO_MEMORY;
  create->hContext = context;
  create->ContextInfo = {};
  create->ContextInfo.DmaBufferSize = kDmaBufferBytes;
  create->ContextInfo.DmaBufferPrivateDataSize = sizeof(BufferData);
  create->ContextInfo.AllocationListSize = kAllocationListEntries;
  create->ContextInfo.PatchLocationListSize = kPatchLocationEntries;
  return STATUS_SUCCESS;
}

NTSTATUS SoftDestroyContext(HANDLE context) {
  auto* const handle = static_cast<ContextHandle*>(context);
  handle->device->objects().Destroy(handle);
  return STATUS_SUCCESS;
}

NTSTATUS SoftCreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) {
  auto& device = *static_cast<Device*>(adapter);
  for (UINT index = 0; index < create->NumAllocations; ++index) {
    const NTSTATUS status = CreateOne(device, create->pAllocationInfo[index]);
    if (NT_SUCCESS(status)) continue;
    for (UINT made = 0; made < index; ++made) {
      device.objects().Destroy(static_cast<Allocation*>(create->pAllocationInfo[made].hAllocation));
    }
    return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS SoftSetAllocationBackingStore(HANDLE /*adapter*/, DXGKARG_SETALLOCATIONBACKINGSTORE* args) {
  static_cast<Allocation*>(args->hDriverAllocation)->backing_store = static_cast<std::byte*>(args->pBackingStore);
  return STATUS_SUCCESS;
}

NTSTATUS SoftDestroyAllocation(HANDLE adapter, CONST DXGKARG_DESTROYALLOCATION* destroy) {
  auto& device = *static_cast<Device*>(adapter);
  for (UINT index = 0; index < destroy->NumAllocations; ++index) {
    auto* const allocation = static_cast<Allocation*>(destroy->pAllocationList[index]);
    device.ForgetPrimary(*allocation);
    device.objects().Destroy(allocation);
  }
  return STATUS_SUCCESS;
}

NTSTATUS SoftDescribeAllocation(HANDLE /*adapter*/, DXGKARG_DESCRIBEALLOCATION* describe) {
  const AllocationData& data = static_cast<const Allocation*>(describe->hAllocation)->data;
  describe->Width = data.width;
  describe->Height = data.height;
  describe->Format = ToD3dddiFormat(data.format);
  describe->MultisampleMethod = {};
  describe->RefreshRate = {};
  describe->PrivateDriverFormatAttribute = 0;
  describe->Rotation = D3DDDI_ROTATION_IDENTITY;
  return STATUS_SUCCESS;
}

NTSTATUS SoftGetStandardAllocationDriverData(HANDLE adapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* standard) {
  const auto data = DescribeStandard(*static_cast<const Device*>(adapter), *standard);
  if (!data.ok()) {
    Log(LogLevel::kWarn, "GetStandardAllocationDriverData refused: {}", data.error().message);
    return ToNtStatus(data.error());
  }
  if (standard->pAllocationPrivateDriverData != nullptr) {
    if (standard->AllocationPrivateDriverDataSize < sizeof(AllocationData)) return STATUS_BUFFER_TOO_SMALL;
    *static_cast<AllocationData*>(standard->pAllocationPrivateDriverData) = *data;
  }
  standard->AllocationPrivateDriverDataSize = sizeof(AllocationData);
  standard->ResourcePrivateDriverDataSize = 0;
  return STATUS_SUCCESS;
}

NTSTATUS SoftOpenAllocation(HANDLE device, CONST DXGKARG_OPENALLOCATION* open) {
  Device& owner = *static_cast<DeviceHandle*>(device)->device;
  for (UINT index = 0; index < open->NumAllocations; ++index) {
    DXGKARGCB_GETHANDLEDATA query{};
    query.hObject = open->pOpenAllocation[index].hAllocation;
    query.Type = DXGK_HANDLE_ALLOCATION;
    const auto* allocation = static_cast<const Allocation*>(owner.kernel().DxgkCbGetHandleData(&query));
    auto* opened = allocation != nullptr ? owner.objects().Create<OpenedAllocation>(*allocation) : nullptr;
    if (opened == nullptr) {
      for (UINT made = 0; made < index; ++made) {
        owner.objects().Destroy(static_cast<OpenedAllocation*>(open->pOpenAllocation[made].hDeviceSpecificAllocation));
        open->pOpenAllocation[made].hDeviceSpecificAllocation = nullptr;
      }
      return allocation == nullptr ? STATUS_INVALID_HANDLE : STATUS_NO_MEMORY;
    }
    open->pOpenAllocation[index].hDeviceSpecificAllocation = opened;
  }
  return STATUS_SUCCESS;
}

NTSTATUS SoftCloseAllocation(HANDLE device, CONST DXGKARG_CLOSEALLOCATION* close) {
  Objects& objects = static_cast<DeviceHandle*>(device)->device->objects();
  for (UINT index = 0; index < close->NumAllocations; ++index) {
    objects.Destroy(static_cast<OpenedAllocation*>(close->pOpenHandleList[index]));
  }
  return STATUS_SUCCESS;
}

}  // namespace tandem::soft
