// Display modes: a source is shown by any of the targets. Copies with Rotate turn the picture, in any rotation; the windows show
// what is in the primary, turned by a path's offset and no more.
#include <array>
#include <span>

#include "base/limits.h"
#include "color/blit.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {
namespace {

// The topology of a VidPN, with its functions.
struct Topology {
  D3DKMDT_HVIDPNTOPOLOGY handle = nullptr;
  const DXGK_VIDPNTOPOLOGY_INTERFACE* functions = nullptr;
};

NTSTATUS OpenTopology(const Miniport& miniport, D3DKMDT_HVIDPN vidpn, Topology& topology) {
  const DXGK_VIDPN_INTERFACE* functions = nullptr;
  const NTSTATUS status = miniport.callbacks().DxgkCbQueryVidPnInterface(vidpn, DXGK_VIDPN_INTERFACE_VERSION_V1, &functions);
  if (!NT_SUCCESS(status)) return status;
  return functions->pfnGetTopology(vidpn, &topology.handle, &topology.functions);
}

bool IsEnd(NTSTATUS status) {
  return status == STATUS_GRAPHICS_DATASET_IS_EMPTY || status == STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET;
}

// Until `use(path)` fails; each path is given back.
template <class Use>
NTSTATUS UsePaths(const Topology& topology, Use&& use) {
  const D3DKMDT_VIDPN_PRESENT_PATH* path = nullptr;
  NTSTATUS status = topology.functions->pfnAcquireFirstPathInfo(topology.handle, &path);
  while (status == STATUS_SUCCESS) {
    status = use(*path);
    const D3DKMDT_VIDPN_PRESENT_PATH* next = nullptr;
    if (NT_SUCCESS(status)) status = topology.functions->pfnAcquireNextPathInfo(topology.handle, path, &next);
    static_cast<void>(topology.functions->pfnReleasePathInfo(topology.handle, path));
    path = next;
  }
  return IsEnd(status) ? STATUS_SUCCESS : status;
}

bool Shows(const Miniport& miniport, const D3DKMDT_VIDPN_PRESENT_PATH& path) {
  const auto rotation = path.ContentTransformation.Rotation;
  return path.VidPnSourceId < miniport.vidpn_sources() && path.VidPnTargetId < miniport.vidpn_sources() &&
         rotation >= D3DKMDT_VPPR_IDENTITY && rotation <= D3DKMDT_VPPR_ROTATE270_OFFSET270;
}

color::Rotation RotationOf(const D3DKMDT_VIDPN_PRESENT_PATH& path) {
  return static_cast<color::Rotation>(D3DKMDT_VPPR_GET_CONTENT_ROTATION_PART(path.ContentTransformation.Rotation) - 1);
}

color::Rotation OffsetOf(const D3DKMDT_VIDPN_PRESENT_PATH& path) {
  return static_cast<color::Rotation>(D3DKMDT_VPPR_GET_OFFSET_ROTATION(path.ContentTransformation.Rotation) - 1);
}

// What one source's paths come to. The picture is drawn once, so all of them turn it alike.
struct SourceMode {
  std::array<Display::Target, kMaxVidPnSources> targets{};
  std::uint32_t count = 0;
  color::Rotation rotation = color::Rotation::kIdentity;
};
using SourceModes = std::array<SourceMode, kMaxVidPnSources>;

// The modes of the affected source, or of all. STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY for what is not shown.
NTSTATUS GatherModes(const Miniport& miniport, const Topology& topology, std::uint32_t affected, SourceModes& modes) {
  return UsePaths(topology, [&](const D3DKMDT_VIDPN_PRESENT_PATH& path) -> NTSTATUS {
    if (affected != D3DDDI_ID_ALL && path.VidPnSourceId != affected) return STATUS_SUCCESS;
    if (!Shows(miniport, path)) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    SourceMode& mode = modes[path.VidPnSourceId];
    const bool alike = mode.count == 0 || mode.rotation == RotationOf(path);
    if (!alike || mode.count == mode.targets.size()) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    mode.rotation = RotationOf(path);
    mode.targets[mode.count++] = {path.VidPnTargetId, OffsetOf(path)};
    return STATUS_SUCCESS;
  });
}

}  // namespace

NTSTATUS VulkanIsSupportedVidPn(HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN* args) {
  const Miniport& miniport = *static_cast<Miniport*>(adapter);
  Topology topology;
  if (const NTSTATUS status = OpenTopology(miniport, args->hDesiredVidPn, topology); !NT_SUCCESS(status)) return status;
  SourceModes modes;
  const NTSTATUS status = GatherModes(miniport, topology, D3DDDI_ID_ALL, modes);
  args->IsVidPnSupported = NT_SUCCESS(status) ? TRUE : FALSE;
  return status == STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY ? STATUS_SUCCESS : status;
}

NTSTATUS VulkanEnumVidPnCofuncModality(HANDLE adapter, CONST DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
  Topology topology;
  const NTSTATUS status = OpenTopology(*static_cast<Miniport*>(adapter), args->hConstrainingVidPn, topology);
  if (!NT_SUCCESS(status)) return status;
  return UsePaths(topology, [&](const D3DKMDT_VIDPN_PRESENT_PATH& path) {
    D3DKMDT_VIDPN_PRESENT_PATH answer = path;
    auto& support = answer.ContentTransformation.RotationSupport;
    support.Value = 0;
    support.Identity = support.Rotate90 = support.Rotate180 = support.Rotate270 = 1;
    support.Offset0 = support.Offset90 = support.Offset180 = support.Offset270 = 1;
    return topology.functions->pfnUpdatePathSupportInfo(topology.handle, &answer);
  });
}

// The extent is the window's; it is taken from the primary that is shown.
NTSTATUS VulkanCommitVidPn(HANDLE adapter, CONST DXGKARG_COMMITVIDPN* args) {
  Miniport& miniport = *static_cast<Miniport*>(adapter);
  const std::uint32_t affected = args->AffectedVidPnSourceId;
  if (affected != D3DDDI_ID_ALL && affected >= miniport.vidpn_sources()) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  Topology topology;
  if (const NTSTATUS status = OpenTopology(miniport, args->hFunctionalVidPn, topology); !NT_SUCCESS(status)) return status;
  SourceModes modes;
  const NTSTATUS status = GatherModes(miniport, topology, affected, modes);
  if (!NT_SUCCESS(status)) return status;
  for (std::uint32_t source = 0; source < miniport.vidpn_sources(); ++source) {
    if (modes[source].count == 0) continue;
    miniport.display()->Connect(source, std::span(modes[source].targets).first(modes[source].count));
    miniport.Rotate(source, modes[source].rotation);
  }
  return STATUS_SUCCESS;
}

NTSTATUS VulkanUpdateActiveVidPnPresentPath(HANDLE adapter, CONST DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH* args) {
  Miniport& miniport = *static_cast<Miniport*>(adapter);
  const D3DKMDT_VIDPN_PRESENT_PATH& path = args->VidPnPresentPathInfo;
  if (!Shows(miniport, path)) return STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH;
  miniport.Rotate(path.VidPnSourceId, RotationOf(path));
  return STATUS_SUCCESS;
}

NTSTATUS VulkanRecommendFunctionalVidPn(HANDLE, CONST DXGKARG_RECOMMENDFUNCTIONALVIDPN*) {
  return STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;
}

}  // namespace tandem::vulkan
