// QueryAdapterInfo and GetNodeMetadata.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/aligned.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {
namespace {

constexpr UINT kPagingBufferBytes = 4096;
constexpr std::uint64_t kMinLocalBytes = 256ULL << 20;

template <class T>
T* Output(const DXGKARG_QUERYADAPTERINFO& query) {
  return query.OutputDataSize >= sizeof(T) ? static_cast<T*>(query.pOutputData) : nullptr;
}

NTSTATUS QueryDriverCaps(Miniport& miniport, DXGK_DRIVERCAPS* caps) {
  if (caps == nullptr) return STATUS_BUFFER_TOO_SMALL;
  *caps = {};
  caps->HighestAcceptableAddress.QuadPart = -1;
  caps->MaxAllocationListSlotId = 15;
  caps->ApertureSegmentCommitLimit = kApertureBytes;
  caps->MaxQueuedFlipOnVSync = 1;
  caps->FlipCaps.FlipOnVSyncMmIo = miniport.vidpn_sources() > 0 ? 1 : 0;
  caps->FlipCaps.FlipInterval = miniport.vidpn_sources() > 0 ? 1 : 0;
  caps->FlipCaps.FlipImmediateMmIo = miniport.vidpn_sources() > 0 ? 1 : 0;
  caps->FlipCaps.FlipIndependent = 1;  // mandatory from WDDM 1.3
  caps->SchedulingCaps.MultiEngineAware = 1;
  caps->SchedulingCaps.PreemptionAware = 1;
  caps->SchedulingCaps.CancelCommandAware = 1;
  // What is on the link is not complete: the encoder does not wait for it with the next slice.
  if (miniport.description().link_bytes_per_second != 0) caps->SchedulingCaps.HwQueuePacketCap = kPacketsOnLink;
  caps->MemoryManagementCaps.CrossAdapterResource = 1;
  caps->MemoryManagementCaps.CrossAdapterResourceTexture = miniport.cross_adapter_tier() >= 2 ? 1 : 0;
  caps->MemoryManagementCaps.PagingNode = kCopyNode;
  caps->GpuEngineTopology.NbAsymetricProcessingNodes = kNodeCount;
  caps->WDDMVersion = DXGKDDI_WDDMv3_0;
  caps->PreemptionCaps.GraphicsPreemptionGranularity = D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
  caps->PreemptionCaps.ComputePreemptionGranularity = D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
  caps->SupportPerEngineTDR = 1;
  // A device behind a bus, without outputs of its own.
  caps->HybridDiscrete =
      miniport.vidpn_sources() == 0 && miniport.gpu().type() == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ? TRUE : FALSE;
  return STATUS_SUCCESS;
}

// Segment 1 only counts: its allocations are VkImages whose memory the Vulkan driver places. Segment 2 is system memory, segment
// 3 a buffer of the device's.
template <class Descriptor>
void DescribeSegments(Miniport& miniport, Descriptor& local, Descriptor& aperture, Descriptor& memory) {
  local = {};
  local.BaseAddress.QuadPart = static_cast<LONGLONG>(kLocalBase);
  local.Size = std::max(kMinLocalBytes, miniport.gpu().device_local_bytes() & ~std::uint64_t{PAGE_SIZE - 1});
  if (miniport.description().image_memory_bytes != 0) local.Size = miniport.description().image_memory_bytes;
  local.Size = std::min<std::uint64_t>(local.Size, kApertureBase - kLocalBase);
  local.CommitLimit = local.Size;
  aperture = {};
  aperture.Flags.Aperture = 1;
  aperture.Flags.CacheCoherent = 1;
  aperture.BaseAddress.QuadPart = static_cast<LONGLONG>(kApertureBase);
  aperture.Size = kApertureBytes;
  aperture.CommitLimit = aperture.Size;
  memory = {};
  memory.BaseAddress.QuadPart = static_cast<LONGLONG>(kMemoryBase);
  memory.Size = miniport.description().local_memory_bytes;
  memory.CommitLimit = memory.Size;
}

NTSTATUS QuerySegments3(Miniport& miniport, DXGK_QUERYSEGMENTOUT3* out) {
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  out->NbSegment = kSegmentCount;
  out->PagingBufferSegmentId = 0;
  out->PagingBufferSize = kPagingBufferBytes;
  out->PagingBufferPrivateDataSize = 0;
  if (out->pSegmentDescriptor != nullptr) {
    DescribeSegments(miniport, out->pSegmentDescriptor[0], out->pSegmentDescriptor[1], out->pSegmentDescriptor[2]);
  }
  return STATUS_SUCCESS;
}

NTSTATUS QuerySegments4(Miniport& miniport, DXGK_QUERYSEGMENTOUT4* out) {
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  out->NbSegment = kSegmentCount;
  out->PagingBufferSegmentId = 0;
  out->PagingBufferSize = kPagingBufferBytes;
  out->PagingBufferPrivateDataSize = 0;
  if (out->pSegmentDescriptor == nullptr) {
    out->SegmentDescriptorStride = sizeof(DXGK_SEGMENTDESCRIPTOR4);
    return STATUS_SUCCESS;
  }
  std::array<DXGK_SEGMENTDESCRIPTOR4, kSegmentCount> segments{};
  DescribeSegments(miniport, segments[0], segments[1], segments[2]);
  const SIZE_T stride = out->SegmentDescriptorStride != 0 ? out->SegmentDescriptorStride : sizeof(segments[0]);
  const SIZE_T bytes = std::min(stride, sizeof(segments[0]));
  for (std::uint32_t i = 0; i < kSegmentCount; ++i) std::memcpy(out->pSegmentDescriptor + i * stride, &segments[i], bytes);
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS VulkanQueryAdapterInfo(HANDLE adapter, CONST DXGKARG_QUERYADAPTERINFO* query) {
  auto& miniport = *static_cast<Miniport*>(adapter);
  if (!miniport.started()) return STATUS_DEVICE_NOT_READY;
  switch (query->Type) {
    case DXGKQAITYPE_UMDRIVERPRIVATE: {
      auto* out = Output<AdapterData>(*query);
      if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
      *out = miniport.Describe();
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_DRIVERCAPS: return QueryDriverCaps(miniport, Output<DXGK_DRIVERCAPS>(*query));
    case DXGKQAITYPE_QUERYSEGMENT3: return QuerySegments3(miniport, Output<DXGK_QUERYSEGMENTOUT3>(*query));
    case DXGKQAITYPE_QUERYSEGMENT4: return QuerySegments4(miniport, Output<DXGK_QUERYSEGMENTOUT4>(*query));
    default: return STATUS_NOT_SUPPORTED;
  }
}

NTSTATUS VulkanGetNodeMetadata(HANDLE, UINT node, DXGKARG_GETNODEMETADATA* metadata) {
  const UINT ordinal = node & 0xFFFFU;  // The upper half is the adapter's index in a linked chain.
  if (ordinal >= kNodeCount) return STATUS_INVALID_PARAMETER;
  *metadata = {};
  metadata->EngineType = ordinal == kRenderNode ? DXGK_ENGINE_TYPE_3D : DXGK_ENGINE_TYPE_COPY;
  const std::u16string_view name = ordinal == kRenderNode ? u"Render" : u"Copy";
  std::copy(name.begin(), name.end(), metadata->FriendlyName);
  return STATUS_SUCCESS;
}

}  // namespace tandem::vulkan
