// Answers of DxgkDdiQueryAdapterInfo and DxgkDdiGetNodeMetadata.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <d3dkmddi.h>

namespace tandem::drivers {

// Null when the caller's buffer is too small for a T.
template <class T>
[[nodiscard]] T* OutputOf(const DXGKARG_QUERYADAPTERINFO& query) {
  return query.OutputDataSize >= sizeof(T) ? static_cast<T*>(query.pOutputData) : nullptr;
}

// Fills the caps that every driver of this tree has: WDDM 3.0, flips by MMIO on `sources` VidPn sources, engines that can be
// preempted, and `link` for an adapter behind an emulated link. A driver adds its own.
void FillDriverCaps(DXGK_DRIVERCAPS& caps, std::uint32_t sources, bool link);

// The segments of an adapter, in the order of their ids, and the paging buffers that it asks for in system memory.
struct SegmentTable {
  std::span<const DXGK_SEGMENTDESCRIPTOR4> segments;
  UINT paging_buffer_bytes = 0;
  UINT paging_private_bytes = 0;
};
// DXGKQAITYPE_QUERYSEGMENT3 and _QUERYSEGMENT4. STATUS_BUFFER_TOO_SMALL, STATUS_NOT_SUPPORTED for another type.
NTSTATUS QuerySegments(const DXGKARG_QUERYADAPTERINFO& query, const SegmentTable& table);

struct Node {
  DXGK_ENGINE_TYPE type = DXGK_ENGINE_TYPE_OTHER;
  std::u16string_view name;
};
// `ordinal` holds the adapter's index in a linked chain in its upper half. STATUS_INVALID_PARAMETER for a node beyond `nodes`.
NTSTATUS GetNodeMetadata(std::span<const Node> nodes, UINT ordinal, DXGKARG_GETNODEMETADATA& metadata);

}  // namespace tandem::drivers
