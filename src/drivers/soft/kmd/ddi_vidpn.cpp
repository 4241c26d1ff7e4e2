// Display modes: a source feeds any of the targets, in any rotation. Who copies with Rotate rotates the content; scan-out turns
// it by a path's offset and no more.
#include <array>
#include <span>
#include <utility>

#include "color/blit.h"
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
  return path.VidPnSourceId < device.source_count() && path.VidPnTargetId < device.source_count() &&
         rotation >= D3DKMDT_VPPR_IDENTITY && rotation <= D3DKMDT_VPPR_ROTATE270_OFFSET270;
}

color::Rotation ContentRotation(const D3DKMDT_VIDPN_PRESENT_PATH& path) {
  return static_cast<color::Rotation>(D3DKMDT_VPPR_GET_CONTENT_ROTATION_PART(path.ContentTransformation.Rotation) - 1);
}

color::Rotation Offset(const D3DKMDT_VIDPN_PRESENT_PATH& path) {
  return static_cast<color::Rotation>(D3DKMDT_VPPR_GET_OFFSET_ROTATION(path.ContentTransformation.Rotation) - 1);
}

// What one source's paths come to. The content is drawn once, so all of them turn it alike.
struct SourceMode {
  std::array<Device::Target, kMaxVidPnSources> targets;
  std::uint32_t count = 0;
  color::Rotation rotation = color::Rotation::kIdentity;

  [[nodiscard]] NTSTATUS Add(const Device& device, const D3DKMDT_VIDPN_PRESENT_PATH& path) {
    const bool alike = count == 0 || rotation == ContentRotation(path);
    if (!IsSupported(device, path) || !alike || count == targets.size()) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    rotation = ContentRotation(path);
    targets[count++] = {path.VidPnTargetId, Offset(path)};
    if (path.ImportanceOrdinal == D3DKMDT_VPPI_PRIMARY) std::swap(targets[0], targets[count - 1]);
    return STATUS_SUCCESS;
  }
};

using SourceModes = std::array<SourceMode, kMaxVidPnSources>;

// The modes of the affected source, or of all.
NTSTATUS GatherModes(const Device& device, const Topology& topology, std::uint32_t affected, SourceModes& modes) {
  return ForEachPath(topology, [&](const D3DKMDT_VIDPN_PRESENT_PATH& path) -> NTSTATUS {
    if (affected != D3DDDI_ID_ALL && path.VidPnSourceId != affected) return STATUS_SUCCESS;
    if (path.VidPnSourceId >= device.source_count()) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    return modes[path.VidPnSourceId].Add(device, path);
  });
}

}  // namespace

NTSTATUS SoftIsSupportedVidPn(HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN* query) {
  const auto& device = *static_cast<Device*>(adapter);
  Topology topology;
  if (const NTSTATUS status = GetTopology(device, query->hDesiredVidPn, topology); !NT_SUCCESS(status)) return status;
  SourceModes modes;
  const NTSTATUS status = GatherModes(device, topology, D3DDDI_ID_ALL, modes);
  query->IsVidPnSupported = NT_SUCCESS(status) ? TRUE : FALSE;
  return status == STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY ? STATUS_SUCCESS : status;
}

NTSTATUS SoftEnumVidPnCofuncModality(HANDLE adapter, CONST DXGKARG_ENUMVIDPNCOFUNCMODALITY* enumerate) {
  Topology topology;
  const NTSTATUS status = GetTopology(*static_cast<Device*>(adapter), enumerate->hConstrainingVidPn, topology);
  if (!NT_SUCCESS(status)) return status;
  return ForEachPath(topology, [&](D3DKMDT_VIDPN_PRESENT_PATH path) {
    auto& support = path.ContentTransformation.RotationSupport;
    support.Value = 0;
    support.Identity = support.Rotate90 = support.Rotate180 = support.Rotate270 = 1;
    support.Offset0 = support.Offset90 = support.Offset180 = support.Offset270 = 1;
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
  SourceModes modes;
  const NTSTATUS status = GatherModes(device, topology, affected, modes);
  if (!NT_SUCCESS(status)) return status;
  for (std::uint32_t source = 0; source < device.source_count(); ++source) {
    const SourceMode& mode = modes[source];
    if (mode.count == 0) continue;
    device.Connect(source, std::span(mode.targets).first(mode.count));
    device.Commit(source, static_cast<const Allocation*>(commit->hPrimaryAllocation), mode.rotation);
  }
  return STATUS_SUCCESS;
}

NTSTATUS SoftUpdateActiveVidPnPresentPath(HANDLE adapter, CONST DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH* update) {
  auto& device = *static_cast<Device*>(adapter);
  const D3DKMDT_VIDPN_PRESENT_PATH& path = update->VidPnPresentPathInfo;
  if (!IsSupported(device, path)) return STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH;
  device.Rotate(path.VidPnSourceId, ContentRotation(path));
  device.scan_out(path.VidPnTargetId)->SetRotation(Offset(path));
  return STATUS_SUCCESS;
}

}  // namespace tandem::soft
