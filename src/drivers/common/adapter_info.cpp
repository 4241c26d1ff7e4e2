#include "drivers/common/adapter_info.h"

#include "base/emulated_link.h"

namespace tandem::drivers {
namespace {

template <class Out>
void FillCounts(Out& out, const SegmentTable& table) {
  out.NbSegment = static_cast<UINT>(table.segments.size());
  out.PagingBufferSegmentId = 0;
  out.PagingBufferSize = table.paging_buffer_bytes;
  out.PagingBufferPrivateDataSize = table.paging_private_bytes;
}

DXGK_SEGMENTDESCRIPTOR3 Narrow(const DXGK_SEGMENTDESCRIPTOR4& segment) {
  DXGK_SEGMENTDESCRIPTOR3 narrow{};
  narrow.Flags = segment.Flags;
  narrow.BaseAddress = segment.BaseAddress;
  narrow.CpuTranslatedAddress = segment.CpuTranslatedAddress;
  narrow.Size = segment.Size;
  narrow.CommitLimit = segment.CommitLimit;
  return narrow;
}

NTSTATUS QuerySegments3(DXGK_QUERYSEGMENTOUT3* out, const SegmentTable& table) {
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  FillCounts(*out, table);
  if (out->pSegmentDescriptor == nullptr) return STATUS_SUCCESS;
  std::transform(table.segments.begin(), table.segments.end(), out->pSegmentDescriptor, &Narrow);
  return STATUS_SUCCESS;
}

NTSTATUS QuerySegments4(DXGK_QUERYSEGMENTOUT4* out, const SegmentTable& table) {
  if (out == nullptr) return STATUS_BUFFER_TOO_SMALL;
  FillCounts(*out, table);
  constexpr SIZE_T kBytes = sizeof(DXGK_SEGMENTDESCRIPTOR4);
  if (out->pSegmentDescriptor == nullptr) {
    out->SegmentDescriptorStride = kBytes;
    return STATUS_SUCCESS;
  }
  const SIZE_T stride = out->SegmentDescriptorStride != 0 ? out->SegmentDescriptorStride : kBytes;
  for (std::size_t i = 0; i < table.segments.size(); ++i) {
    std::memcpy(out->pSegmentDescriptor + i * stride, &table.segments[i], std::min(stride, kBytes));
  }
  return STATUS_SUCCESS;
}

}  // namespace

void FillDriverCaps(DXGK_DRIVERCAPS& caps, std::uint32_t sources, bool link) {
  caps = {};
  caps.HighestAcceptableAddress.QuadPart = -1;
  caps.MaxQueuedFlipOnVSync = 1;
  caps.FlipCaps.FlipOnVSyncMmIo = sources > 0 ? 1 : 0;
  caps.FlipCaps.FlipImmediateMmIo = sources > 0 ? 1 : 0;
  caps.FlipCaps.FlipInterval = sources > 0 ? 1 : 0;
  caps.FlipCaps.FlipIndependent = 1;  // mandatory from WDDM 1.3
  caps.SchedulingCaps.MultiEngineAware = 1;
  caps.SchedulingCaps.PreemptionAware = 1;
  caps.SchedulingCaps.CancelCommandAware = 1;
  // A packet on the link is not complete; with more of them allowed the encoder does not wait with the next slice.
  if (link) caps.SchedulingCaps.HwQueuePacketCap = kPacketsOnLink;
  caps.WDDMVersion = DXGKDDI_WDDMv3_0;
  caps.SupportPerEngineTDR = TRUE;
}

NTSTATUS QuerySegments(const DXGKARG_QUERYADAPTERINFO& query, const SegmentTable& table) {
  switch (query.Type) {
    case DXGKQAITYPE_QUERYSEGMENT3: return QuerySegments3(OutputOf<DXGK_QUERYSEGMENTOUT3>(query), table);
    case DXGKQAITYPE_QUERYSEGMENT4: return QuerySegments4(OutputOf<DXGK_QUERYSEGMENTOUT4>(query), table);
    default: return STATUS_NOT_SUPPORTED;
  }
}

NTSTATUS GetNodeMetadata(std::span<const Node> nodes, UINT ordinal, DXGKARG_GETNODEMETADATA& metadata) {
  const UINT node = ordinal & 0xFFFF;
  if (node >= nodes.size()) return STATUS_INVALID_PARAMETER;
  metadata = {};
  metadata.EngineType = nodes[node].type;
  std::copy(nodes[node].name.begin(), nodes[node].name.end(), metadata.FriendlyName);
  return STATUS_SUCCESS;
}

}  // namespace tandem::drivers
