// QueryAdapterInfo and GetNodeMetadata.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "color/nv12.h"
#include "drivers/soft/adapter_data.h"
#include "drivers/soft/kmd/ddi.h"
#include "drivers/soft/kmd/device.h"

namespace tandem::soft {
namespace {

constexpr UINT kPagingBufferBytes = 64 * 1024;

template <class T>
T* Output(const DXGKARG_QUERYADAPTERINFO& query) {
  return query.OutputDataSize >= sizeof(T) ? static_cast<T*>(query.pOutputData) : nullptr;
}

NTSTATUS QueryDriverCaps(const Device& device, DXGK_DRIVERCAPS* caps) {
  if (caps == nullptr) return STATUS_BUFFER_TOO_SMALL;
  *caps = {};
  const std::uint32_t tier = device.description().tier;
  caps->HighestAcceptableAddress.QuadPart = -1;
  caps->MaxAllocationListSlotId = 255;
  caps->ApertureSegmentCommitLimit = device.description().aperture_bytes;
  caps->MaxQueuedFlipOnVSync = 1;
  if (device.source_count() > 0) {
    caps->FlipCaps.FlipOnVSyncMmIo = 1;
    caps->FlipCaps.FlipImmediateMmIo = 1;
    caps->FlipCaps.FlipInterval = 1;
  }
  caps->FlipCaps.FlipIndependent = 1;  // mandatory from WDDM 1.3
  caps->SchedulingCaps.MultiEngineAware = 1;
  caps->SchedulingCaps.PreemptionAware = 1;
  caps->SchedulingCaps.CancelCommandAware = 1;
  // What is on the link is not complete: the encoder does not wait for it with the next slice.
  if (device.description().link_bytes_per_second != 0) caps->SchedulingCaps.HwQueuePacketCap = kPacketsOnLink;
  caps->MemoryManagementCaps.CrossAdapterResource = tier >= 1 ? 1 : 0;
  caps->MemoryManagementCaps.CrossAdapterResourceTexture = tier >= 2 ? 1 : 0;
  caps->MemoryManagementCaps.CrossAdapterResourceScanout = tier >= 3 ? 1 : 0;
  caps->MemoryManagementCaps.PagingNode = kCopyNode;
  caps->GpuEngineTopology.NbAsymetricProcessingNodes = kNodeCount;
  caps->WDDMVersion = DXGKDDI_WDDMv3_0;
  caps->PreemptionCaps.GraphicsPreemptionGranularity = D3DKMDT_GRAPHICS_PREEMPTION_PRIMITIVE_BOUNDARY;
  caps->PreemptionCaps.ComputePreemptionGranularity = D3DKMDT_COMPUTE_PREEMPTION_DISPATCH_BOUNDARY;
  caps->SupportPerEngineTDR = TRUE;
  caps->SupportDirectFlip = TRUE;
  caps->SupportMultiPlaneOverlay = device.source_count() > 0 ? TRUE : FALSE;
  caps->MaxOverlayPlanes = device.source_count() > 0 ? device.description().overlay_planes : 0;
  return STATUS_SUCCESS;
}

// Segment 1: local memory, CPU visible at CpuTranslatedAddress, which is a host address. Segment 2: the aperture.
template <class Descriptor>
void DescribeSegments(Device& device, Descriptor& local, Descriptor& aperture) {
  local = {};
  local.Flags.CpuVisible = 1;
  local.Flags.CacheCoherent = 1;
  local.Flags.DirectFlip = 1;
  local.BaseAddress.QuadPart = static_cast<LONGLONG>(kLocalBase);
  local.CpuTranslatedAddress.QuadPart = static_cast<LONGLONG>(reinterpret_cast<std::uintptr_t>(device.memory()->local_data()));
  local.Size = device.memory()->local_bytes();
  local.CommitLimit = local.Size;
  aperture = {};
  aperture.Flags.Aperture = 1;
  aperture.Flags.CacheCoherent = 1;
  aperture.Flags.DirectFlip = 1;
  aperture.BaseAddress.QuadPart = static_cast<LONGLONG>(kApertureBase);
  aperture.Size = device.memory()->aperture_bytes();
  aperture.CommitLimit = aperture.Size;
}

NTSTATUS QuerySegments3(Device& device, DXGK_QUERYSEGMENTOUT3* out) {
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  out->NbSegment = 2;
  out->PagingBufferSegmentId = 0;
  out->PagingBufferSize = kPagingBufferBytes;
  out->PagingBufferPrivateDataSize = sizeof(BufferData);
  if (out->pSegmentDescriptor != nullptr) DescribeSegments(device, out->pSegmentDescriptor[0], out->pSegmentDescriptor[1]);
  return STATUS_SUCCESS;
}

NTSTATUS QuerySegments4(Device& device, DXGK_QUERYSEGMENTOUT4* out) {
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  out->NbSegment = 2;
  out->PagingBufferSegmentId = 0;
  out->PagingBufferSize = kPagingBufferBytes;
  out->PagingBufferPrivateDataSize = sizeof(BufferData);
  if (out->pSegmentDescriptor == nullptr) {
    out->SegmentDescriptorStride = sizeof(DXGK_SEGMENTDESCRIPTOR4);
    return STATUS_SUCCESS;
  }
  DXGK_SEGMENTDESCRIPTOR4 local{};
  DXGK_SEGMENTDESCRIPTOR4 aperture{};
  DescribeSegments(device, local, aperture);
  const SIZE_T stride = out->SegmentDescriptorStride != 0 ? out->SegmentDescriptorStride : sizeof(local);
  const SIZE_T bytes = std::min(stride, sizeof(local));
  std::memcpy(out->pSegmentDescriptor, &local, bytes);
  std::memcpy(out->pSegmentDescriptor + stride, &aperture, bytes);
  return STATUS_SUCCESS;
}

NTSTATUS QueryPrivate(Device& device, AdapterData* out) {
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  *out = {};
  out->cross_adapter_tier = device.description().tier;
  out->vidpn_sources = device.source_count();
  out->scans_out_nv12 = device.ScansOut(color::kNv12) ? 1 : 0;
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS SoftQueryAdapterInfo(HANDLE adapter, CONST DXGKARG_QUERYADAPTERINFO* query) {
  auto& device = *static_cast<Device*>(adapter);
  switch (query->Type) {
    case DXGKQAITYPE_UMDRIVERPRIVATE: return QueryPrivate(device, Output<AdapterData>(*query));
    case DXGKQAITYPE_DRIVERCAPS: return QueryDriverCaps(device, Output<DXGK_DRIVERCAPS>(*query));
    case DXGKQAITYPE_QUERYSEGMENT3:
      return device.memory() == nullptr ? STATUS_DEVICE_NOT_READY : QuerySegments3(device, Output<DXGK_QUERYSEGMENTOUT3>(*query));
    case DXGKQAITYPE_QUERYSEGMENT4:
      return device.memory() == nullptr ? STATUS_DEVICE_NOT_READY : QuerySegments4(device, Output<DXGK_QUERYSEGMENTOUT4>(*query));
    default: return STATUS_NOT_SUPPORTED;
  }
}

NTSTATUS SoftGetNodeMetadata(HANDLE /*adapter*/, UINT node_and_adapter, DXGKARG_GETNODEMETADATA* metadata) {
  const std::uint32_t node = node_and_adapter & 0xFFFF;
  if (node >= kNodeCount) return STATUS_INVALID_PARAMETER;
  *metadata = {};
  metadata->EngineType = node == kRenderNode ? DXGK_ENGINE_TYPE_3D : DXGK_ENGINE_TYPE_COPY;
  const std::u16string_view name = node == kRenderNode ? u"Soft 3D" : u"Soft copy";
  std::copy(name.begin(), name.end(), metadata->FriendlyName);
  return STATUS_SUCCESS;
}

}  // namespace tandem::soft
