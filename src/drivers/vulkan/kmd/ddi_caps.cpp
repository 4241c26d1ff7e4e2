// QueryAdapterInfo and GetNodeMetadata.
#include <algorithm>
#include <array>

#include "drivers/common/adapter_info.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {
namespace {

constexpr UINT kPagingBufferBytes = 4096;
constexpr std::uint64_t kMinLocalBytes = 256ULL << 20;

NTSTATUS QueryDriverCaps(Miniport& miniport, DXGK_DRIVERCAPS* caps) {
  if (caps == nullptr) return STATUS_BUFFER_TOO_SMALL;
  drivers::FillDriverCaps(*caps, miniport.vidpn_sources(), miniport.description().link_bytes_per_second != 0);
  caps->MaxAllocationListSlotId = 15;
  caps->ApertureSegmentCommitLimit = kApertureBytes;
  caps->MemoryManagementCaps.CrossAdapterResource = 1;
  caps->MemoryManagementCaps.CrossAdapterResourceTexture = miniport.cross_adapter_tier() >= 2 ? 1 : 0;
  caps->MemoryManagementCaps.PagingNode = kCopyNode;
  caps->GpuEngineTopology.NbAsymetricProcessingNodes = kNodeCount;
  caps->PreemptionCaps.GraphicsPreemptionGranularity = D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
  caps->PreemptionCaps.ComputePreemptionGranularity = D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
  // A device behind a bus, without outputs of its own.
  caps->HybridDiscrete =
      miniport.vidpn_sources() == 0 && miniport.gpu().type() == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ? TRUE : FALSE;
  return STATUS_SUCCESS;
}

// Segment 1 only counts: its allocations are VkImages whose memory the Vulkan driver places. Segment 2 is system memory, segment
// 3 a buffer of the device's.
NTSTATUS QuerySegments(Miniport& miniport, const DXGKARG_QUERYADAPTERINFO& query) {
  std::array<DXGK_SEGMENTDESCRIPTOR4, kSegmentCount> segments{};
  auto& [local, aperture, memory] = segments;
  local.BaseAddress.QuadPart = static_cast<LONGLONG>(kLocalBase);
  local.Size = std::max(kMinLocalBytes, miniport.gpu().device_local_bytes() & ~std::uint64_t{PAGE_SIZE - 1});
  if (miniport.description().image_memory_bytes != 0) local.Size = miniport.description().image_memory_bytes;
  local.Size = std::min<std::uint64_t>(local.Size, kApertureBase - kLocalBase);
  local.CommitLimit = local.Size;
  aperture.Flags.Aperture = 1;
  aperture.Flags.CacheCoherent = 1;
  aperture.BaseAddress.QuadPart = static_cast<LONGLONG>(kApertureBase);
  aperture.Size = kApertureBytes;
  aperture.CommitLimit = aperture.Size;
  memory.BaseAddress.QuadPart = static_cast<LONGLONG>(kMemoryBase);
  memory.Size = miniport.description().local_memory_bytes;
  memory.CommitLimit = memory.Size;
  return drivers::QuerySegments(query, {segments, kPagingBufferBytes, 0});
}

}  // namespace

NTSTATUS VulkanQueryAdapterInfo(HANDLE adapter, CONST DXGKARG_QUERYADAPTERINFO* query) {
  auto& miniport = *static_cast<Miniport*>(adapter);
  if (!miniport.started()) return STATUS_DEVICE_NOT_READY;
  switch (query->Type) {
    case DXGKQAITYPE_UMDRIVERPRIVATE: {
      auto* out = drivers::OutputOf<AdapterData>(*query);
      if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
      *out = miniport.Describe();
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_DRIVERCAPS: return QueryDriverCaps(miniport, drivers::OutputOf<DXGK_DRIVERCAPS>(*query));
    case DXGKQAITYPE_QUERYSEGMENT3:
    case DXGKQAITYPE_QUERYSEGMENT4: return QuerySegments(miniport, *query);
    default: return STATUS_NOT_SUPPORTED;
  }
}

NTSTATUS VulkanGetNodeMetadata(HANDLE, UINT node, DXGKARG_GETNODEMETADATA* metadata) {
  static constexpr std::array<drivers::Node, kNodeCount> kNodes = [] {
    std::array<drivers::Node, kNodeCount> nodes;
    nodes[kRenderNode] = {DXGK_ENGINE_TYPE_3D, u"Render"};
    nodes[kCopyNode] = {DXGK_ENGINE_TYPE_COPY, u"Copy"};
    return nodes;
  }();
  return drivers::GetNodeMetadata(kNodes, node, *metadata);
}

}  // namespace tandem::vulkan
