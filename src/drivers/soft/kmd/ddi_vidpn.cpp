// Display modes: source N feeds target N, in any rotation. Scan-out shows memory as it is; who copies with Rotate rotates.
#include "drivers/soft/kmd/ddi.h"
#include "drivers/soft/kmd/device.h"

namespace tandem::soft {
namespace {

struct Topology {
  D3DKMDT_HVIDPNTOPOLOGY handle = nullptr;
  const DXGK_VIDPNTOPOLOGY_INTERFACE* functions = nullptr;
};

NTSTATUS GetTopology(const Device& device, D3DKMDT_HVIDPN vidpn, Topology& topology) {
  const DXGK_VIDPN_INTERFACE* functions = nullptr;
  const NTSTATUS status = device.kernel().DxgkCbQueryVidPnInterface(vidpn, DXGK_VIDPN_INTERFACE_VERSION_V1, &functions);
  return NT_SUCCESS(status) ? functions->pfnGetTopology(vidpn, &topology.handle, &topology.functions) : status;
}

// Calls `visit(path)` for each path while it answers STATUS_SUCCESS.
template <class Visit>
NTSTATUS ForEachPath(const Topology& topology, Visit&& visit) {
  const D3DKMDT_VIDPN_PRESENT_PATH* path = nullptr;
  NTSTATUS status = topology.functions->pfnAcquireFirstPathInfo(topology.handle, &path);
  while (status == STATUS_SUCCESS) {
    const NTSTATUS visited = visit(*path);
    const D3DKMDT_VIDPN_PRESENT_PATH* next = nullptr;
    status = NT_SUCCESS(visited) ? topology.functions->pfnAcquireNextPathInfo(topology.handle, path, &next) : visited;
    static_cast<void>(topology.functions->pfnReleasePathInfo(topology.handle, path));
    path = next;
  }
  const bool end = status == STATUS_GRAPHICS_DATASET_IS_EMPTY || status == STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET;
  return end ? STATUS_SUCCESS : status;
}

bool IsSupported(const Device& device, const D3DKMDT_VIDPN_PRESENT_PATH& path) {
  const auto rotation = path.ContentTransformation.Rotation;
  return path.VidPnSourceId < device.source_count() && path.VidPnTargetId == path.VidPnSourceId &&
         rotation >= D3DKMDT_VPPR_IDENTITY && rotation <= D3DKMDT_VPPR_ROTATE270;
}

color::Rotation ToRotation(D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation) {
  return static_cast<color::Rotation>(rotation - D3DKMDT_VPPR_IDENTITY);
}

}  // namespace

NTSTATUS SoftIsSupportedVidPn(HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN* query) {
  const auto& device = *static_cast<Device*>(adapter);
  Topology topology;
  if (const NTSTATUS status = GetTopology(device, query->hDesiredVidPn, topology); !NT_SUCCESS(status)) return status;
  bool supported = true;
  const NTSTATUS status = ForEachPath(topology, [&](const D3DKMDT_VIDPN_PRESENT_PATH& path) {
    supported = supported && IsSupported(device, path);
    return STATUS_SUCCESS;
  });
  query->IsVidPnSupported = supported ? TRUE : FALSE;
  return status;
}

NTSTATUS SoftEnumVidPnCofuncModality(HANDLE adapter, CONST DXGKARG_ENUMVIDPNCOFUNCMODALITY* enumerate) {
  Topology topology;
  const NTSTATUS status = GetTopology(*static_cast<Device*>(adapter), enumerate->hConstrainingVidPn, topology);
  if (!NT_SUCCESS(status)) return status;
  return ForEachPath(topology, [&](D3DKMDT_VIDPN_PRESENT_PATH path) {
    auto& support = path.ContentTransformation.RotationSupport;
    support.Value = 0;
    support.Identity = support.Rotate90 = support.Rotate180 = support.Rotate270 = support.Offset0 = 1;
    return topology.functions->pfnUpdatePathSupportInfo(topology.handle, &path);
  });
}

NTSTATUS SoftRecommendFunctionalVidPn(HANDLE /*adapter*/, CONST DXGKARG_RECOMMENDFUNCTIONALVIDPN* /*recommend*/) {
  return STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;
}

NTSTATUS SoftCommitVidPn(HANDLE adapter, CONST DXGKARG_COMMITVIDPN* commit) {
  auto& device = *static_cast<Device*>(adapter);
  const std::uint32_t affected = commit->AffectedVidPnSourceId;
  if (affected != D3DDDI_ID_ALL && affected >= device.source_count()) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  Topology topology;
  if (const NTSTATUS status = GetTopology(device, commit->hFunctionalVidPn, topology); !NT_SUCCESS(status)) return status;
  return ForEachPath(topology, [&](const D3DKMDT_VIDPN_PRESENT_PATH& path) -> NTSTATUS {
    if (affected != D3DDDI_ID_ALL && path.VidPnSourceId != affected) return STATUS_SUCCESS;
    if (!IsSupported(device, path)) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    device.Commit(path.VidPnSourceId, static_cast<const Allocation*>(commit->hPrimaryAllocation),
                  ToRotation(path.ContentTransformation.Rotation));
    return STATUS_SUCCESS;
  });
}

NTSTATUS SoftUpdateActiveVidPnPresentPath(HANDLE adapter, CONST DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH* update) {
  auto& device = *static_cast<Device*>(adapter);
  const D3DKMDT_VIDPN_PRESENT_PATH& path = update->VidPnPresentPathInfo;
  if (!IsSupported(device, path)) return STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH;
  device.Rotate(path.VidPnSourceId, ToRotation(path.ContentTransformation.Rotation));
  return STATUS_SUCCESS;
}

}  // namespace tandem::soft
