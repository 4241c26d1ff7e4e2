// QueryAdapterInfo and GetNodeMetadata.
#include <array>

#include "color/format.h"
#include "color/nv12.h"
#include "drivers/common/adapter_info.h"
#include "drivers/processor/adapter_data.h"
#include "drivers/processor/kmd/ddi.h"
#include "drivers/processor/kmd/device.h"

namespace tandem::processor {
namespace {

constexpr UINT kPagingBufferBytes = 64 * 1024;

NTSTATUS QueryDriverCaps(const Device& device, DXGK_DRIVERCAPS* caps) {
  if (caps == nullptr) return STATUS_BUFFER_TOO_SMALL;
  const std::uint32_t tier = device.display().tier();
  drivers::FillDriverCaps(*caps, device.source_count(), device.description().link_bytes_per_second != 0);
  caps->MaxAllocationListSlotId = 255;
  caps->ApertureSegmentCommitLimit = device.description().aperture_bytes;
  caps->MemoryManagementCaps.CrossAdapterResource = tier >= 1 ? 1 : 0;
  caps->MemoryManagementCaps.CrossAdapterResourceTexture = tier >= 2 ? 1 : 0;
  caps->MemoryManagementCaps.CrossAdapterResourceScanout = tier >= 3 ? 1 : 0;
  caps->MemoryManagementCaps.PagingNode = kCopyNode;
  caps->GpuEngineTopology.NbAsymetricProcessingNodes = kNodeCount;
  caps->PreemptionCaps.GraphicsPreemptionGranularity = D3DKMDT_GRAPHICS_PREEMPTION_PRIMITIVE_BOUNDARY;
  caps->PreemptionCaps.ComputePreemptionGranularity = D3DKMDT_COMPUTE_PREEMPTION_DISPATCH_BOUNDARY;
  if (device.source_count() > 0) {
    const PointerAbilities pointer = device.display().pointer();
    caps->PointerCaps = pointer.shapes;
    caps->GammaRampCaps.Gamma_Rgb256x3x16 = device.display().takes_gamma_ramps() ? 1 : 0;
    caps->MaxPointerWidth = caps->MaxPointerHeight = pointer.max_extent;
  }
  caps->SupportDirectFlip = TRUE;
  caps->SupportMultiPlaneOverlay = device.source_count() > 0 ? TRUE : FALSE;
  caps->MaxOverlayPlanes = device.source_count() > 0 ? device.display().overlay_planes() : 0;
  return STATUS_SUCCESS;
}

// Segment 1: local memory, CPU visible at CpuTranslatedAddress, which is a host address. Segment 2: the aperture.
NTSTATUS QuerySegments(Device& device, const DXGKARG_QUERYADAPTERINFO& query) {
  if (device.memory() == nullptr) return STATUS_DEVICE_NOT_READY;
  std::array<DXGK_SEGMENTDESCRIPTOR4, 2> segments{};
  auto& [local, aperture] = segments;
  local.Flags.CpuVisible = 1;
  local.Flags.CacheCoherent = 1;
  local.Flags.DirectFlip = 1;
  local.BaseAddress.QuadPart = static_cast<LONGLONG>(kLocalBase);
  local.CpuTranslatedAddress.QuadPart = static_cast<LONGLONG>(reinterpret_cast<std::uintptr_t>(device.memory()->local_data()));
  local.Size = device.memory()->local_bytes();
  local.CommitLimit = local.Size;
  aperture.Flags.Aperture = 1;
  aperture.Flags.CacheCoherent = 1;
  aperture.Flags.DirectFlip = 1;
  aperture.BaseAddress.QuadPart = static_cast<LONGLONG>(kApertureBase);
  aperture.Size = device.memory()->aperture_bytes();
  aperture.CommitLimit = aperture.Size;
  return drivers::QuerySegments(query, {segments, kPagingBufferBytes, sizeof(BufferData)});
}

NTSTATUS QueryPrivate(Device& device, AdapterData* out) {
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  *out = {};
  out->cross_adapter_tier = device.display().tier();
  out->vidpn_sources = device.source_count();
  out->scans_out_nv12 = device.display().ScansOut(color::kNv12) ? 1 : 0;
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS ProcessorQueryAdapterInfo(HANDLE adapter, CONST DXGKARG_QUERYADAPTERINFO* query) {
  auto& device = *static_cast<Device*>(adapter);
  switch (query->Type) {
    case DXGKQAITYPE_UMDRIVERPRIVATE: return QueryPrivate(device, drivers::OutputOf<AdapterData>(*query));
    case DXGKQAITYPE_DRIVERCAPS: return QueryDriverCaps(device, drivers::OutputOf<DXGK_DRIVERCAPS>(*query));
    case DXGKQAITYPE_QUERYSEGMENT3:
    case DXGKQAITYPE_QUERYSEGMENT4: return QuerySegments(device, *query);
    default: return STATUS_NOT_SUPPORTED;
  }
}

NTSTATUS ProcessorGetNodeMetadata(HANDLE /*adapter*/, UINT node_and_adapter, DXGKARG_GETNODEMETADATA* metadata) {
  static constexpr std::array<drivers::Node, kNodeCount> kNodes = [] {
    std::array<drivers::Node, kNodeCount> nodes;
    nodes[kRenderNode] = {DXGK_ENGINE_TYPE_3D, u"Processor 3D"};
    nodes[kCopyNode] = {DXGK_ENGINE_TYPE_COPY, u"Processor copy"};
    return nodes;
  }();
  return drivers::GetNodeMetadata(kNodes, node_and_adapter, *metadata);
}

}  // namespace tandem::processor
