// Devices, contexts and allocations.
#include "base/log.h"
#include "color/format.h"
#include "drivers/common/dma_buffer.h"
#include "drivers/common/standard_surface.h"
#include "drivers/common/status.h"
#include "drivers/processor/kmd/ddi.h"
#include "drivers/processor/kmd/device.h"

namespace tandem::processor {
namespace {

constexpr UINT kDmaBufferBytes = 64 * 1024;  // more than 1,000 copies; one rectangle always fits
constexpr UINT kAllocationListEntries = 256;
constexpr UINT kPatchLocationEntries = 4096;

void FillAllocationInfo(const AllocationData& data, Allocation* allocation, DXGK_ALLOCATIONINFO& info) {
  const bool shared_memory = (data.flags & (kAllocationCrossAdapter | kAllocationSharedWithKmd)) != 0;
  const std::uint32_t segment = shared_memory ? kApertureSegment : kLocalSegment;
  info.Alignment = kGpuPageBytes;
  info.Size = data.size;
  info.PitchAlignedSize = 0;
  info.HintedBank.Value = 0;
  info.PreferredSegment.Value = 0;
  info.PreferredSegment.SegmentId0 = segment & 0x1F;
  info.SupportedReadSegmentSet = drivers::SegmentSet(segment);
  info.SupportedWriteSegmentSet = drivers::SegmentSet(segment);
  info.EvictionSegmentSet = drivers::SegmentSet(kApertureSegment);
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
  if ((data->flags & kAllocationPrimary) != 0 && data->vidpn_source >= device.source_count()) {
    Log(LogLevel::kWarn, "CreateAllocation refused: source {} is not below {}.", data->vidpn_source, device.source_count());
    return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  }
  if ((data->flags & kAllocationPrimary) != 0 && !device.display().ScansOut(data->format)) {
    Log(LogLevel::kWarn, "CreateAllocation refused: the display controller does not read primaries of format {}.",
        static_cast<std::uint32_t>(data->format));
    return STATUS_NOT_SUPPORTED;
  }
  auto* allocation = device.objects().Create<Allocation>(*data);
  if (allocation == nullptr) return STATUS_NO_MEMORY;
  FillAllocationInfo(*data, allocation, info);
  return STATUS_SUCCESS;
}

Result<AllocationData> Describe(const drivers::StandardSurface& surface) {
  if (surface.heap) return DescribeHeap(surface.width);
  const std::uint32_t flags = surface.use == drivers::StandardUse::kPrimary  ? kAllocationPrimary
                              : surface.use == drivers::StandardUse::kShared ? kAllocationCrossAdapter
                                                                             : 0;
  return DescribeSurface(surface.width, surface.height, surface.format, flags, surface.vidpn_source, surface.pitch);
}

}  // namespace

NTSTATUS ProcessorCreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* create) {
  auto& device = *static_cast<Device*>(adapter);
  auto* handle = device.objects().Create<DeviceHandle>(device);
  if (handle == nullptr) return STATUS_NO_MEMORY;
  create->hDevice = handle;
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorDestroyDevice(HANDLE device) {
  auto* const handle = static_cast<DeviceHandle*>(device);
  handle->device->objects().Destroy(handle);
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorCreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) {
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

NTSTATUS ProcessorDestroyContext(HANDLE context) {
  auto* const handle = static_cast<ContextHandle*>(context);
  handle->device->objects().Destroy(handle);
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorCreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) {
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

NTSTATUS ProcessorSetAllocationBackingStore(HANDLE /*adapter*/, DXGKARG_SETALLOCATIONBACKINGSTORE* args) {
  static_cast<Allocation*>(args->hDriverAllocation)->backing_store = static_cast<std::byte*>(args->pBackingStore);
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorDestroyAllocation(HANDLE adapter, CONST DXGKARG_DESTROYALLOCATION* destroy) {
  auto& device = *static_cast<Device*>(adapter);
  for (UINT index = 0; index < destroy->NumAllocations; ++index) {
    auto* const allocation = static_cast<Allocation*>(destroy->pAllocationList[index]);
    device.ForgetPrimary(*allocation);
    device.objects().Destroy(allocation);
  }
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorDescribeAllocation(HANDLE /*adapter*/, DXGKARG_DESCRIBEALLOCATION* describe) {
  const AllocationData& data = static_cast<const Allocation*>(describe->hAllocation)->data;
  drivers::DescribeAllocation(data.width, data.height, data.format, *describe);
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorGetStandardAllocationDriverData(HANDLE adapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* standard) {
  const auto surface = drivers::ReadStandardSurface(*standard, static_cast<const Device*>(adapter)->source_count());
  const auto data = surface.ok() ? Describe(*surface) : Result<AllocationData>(surface.error());
  if (!data.ok()) {
    Log(LogLevel::kWarn, "GetStandardAllocationDriverData refused: {}", data.error().message);
    return drivers::ToNtStatus(data.error());
  }
  drivers::WritePitch(*standard, *surface, data->pitch);
  return drivers::WriteAllocationData(*standard, *data);
}

NTSTATUS ProcessorOpenAllocation(HANDLE device, CONST DXGKARG_OPENALLOCATION* open) {
  Device& owner = *static_cast<DeviceHandle*>(device)->device;
  for (UINT index = 0; index < open->NumAllocations; ++index) {
    const auto* allocation = drivers::AllocationOf<const Allocation>(owner.kernel(), open->pOpenAllocation[index].hAllocation);
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

NTSTATUS ProcessorCloseAllocation(HANDLE device, CONST DXGKARG_CLOSEALLOCATION* close) {
  Objects& objects = static_cast<DeviceHandle*>(device)->device->objects();
  for (UINT index = 0; index < close->NumAllocations; ++index) {
    objects.Destroy(static_cast<OpenedAllocation*>(close->pOpenHandleList[index]));
  }
  return STATUS_SUCCESS;
}

}  // namespace tandem::processor
