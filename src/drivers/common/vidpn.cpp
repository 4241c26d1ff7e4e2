#include "drivers/common/vidpn.h"

#include <utility>

#include "drivers/common/vidpn_modes.h"

namespace tandem::drivers {
namespace {

struct Topology {
  D3DKMDT_HVIDPNTOPOLOGY handle = nullptr;
  const DXGK_VIDPNTOPOLOGY_INTERFACE* functions = nullptr;
};

NTSTATUS OpenTopology(const DXGKRNL_INTERFACE& kernel, D3DKMDT_HVIDPN vidpn, Topology& topology) {
  const DXGK_VIDPN_INTERFACE* functions = nullptr;
  const NTSTATUS status = kernel.DxgkCbQueryVidPnInterface(vidpn, DXGK_VIDPN_INTERFACE_VERSION_V1, &functions);
  return NT_SUCCESS(status) ? functions->pfnGetTopology(vidpn, &topology.handle, &topology.functions) : status;
}

// Calls `visit(path)` for each path until one fails, and releases every path that it acquired.
template <class Visit>
NTSTATUS ForEachPath(const Topology& topology, Visit&& visit) {
  const D3DKMDT_VIDPN_PRESENT_PATH* path = nullptr;
  NTSTATUS status = topology.functions->pfnAcquireFirstPathInfo(topology.handle, &path);
  while (status == STATUS_SUCCESS) {
    status = visit(*path);
    const D3DKMDT_VIDPN_PRESENT_PATH* next = nullptr;
    if (NT_SUCCESS(status)) status = topology.functions->pfnAcquireNextPathInfo(topology.handle, path, &next);
    static_cast<void>(topology.functions->pfnReleasePathInfo(topology.handle, path));
    path = next;
  }
  const bool end = status == STATUS_GRAPHICS_DATASET_IS_EMPTY || status == STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET;
  return end ? STATUS_SUCCESS : status;
}

bool IsSupported(std::uint32_t sources, const D3DKMDT_VIDPN_PRESENT_PATH& path) {
  const auto rotation = path.ContentTransformation.Rotation;
  return path.VidPnSourceId < sources && path.VidPnTargetId < sources && rotation >= D3DKMDT_VPPR_IDENTITY &&
         rotation <= D3DKMDT_VPPR_ROTATE270_OFFSET270;
}

NTSTATUS CheckRamp(const D3DKMDT_GAMMA_RAMP& ramp) {
  if (ramp.Type == D3DDDI_GAMMARAMP_DEFAULT) return STATUS_SUCCESS;
  if (ramp.Type != D3DDDI_GAMMARAMP_RGB256x3x16) return STATUS_GRAPHICS_GAMMA_RAMP_NOT_SUPPORTED;
  const bool whole = ramp.DataSize == sizeof(*ramp.Data.pRgb256x3x16) && ramp.Data.pRgb256x3x16 != nullptr;
  return whole ? STATUS_SUCCESS : STATUS_GRAPHICS_INVALID_GAMMA_RAMP;
}

// D3DKMDT_VPPR_* counts rotations from 1.
color::Rotation ContentRotation(const D3DKMDT_VIDPN_PRESENT_PATH& path) {
  return static_cast<color::Rotation>(D3DKMDT_VPPR_GET_CONTENT_ROTATION_PART(path.ContentTransformation.Rotation) - 1);
}
color::Rotation OffsetRotation(const D3DKMDT_VIDPN_PRESENT_PATH& path) {
  return static_cast<color::Rotation>(D3DKMDT_VPPR_GET_OFFSET_ROTATION(path.ContentTransformation.Rotation) - 1);
}

NTSTATUS AddPath(SourceMode& mode, const D3DKMDT_VIDPN_PRESENT_PATH& path) {
  const bool alike = mode.count == 0 || mode.rotation == ContentRotation(path);
  if (!alike || mode.count == mode.list.size()) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  mode.rotation = ContentRotation(path);
  mode.list[mode.count++] = {path.VidPnTargetId, OffsetRotation(path)};
  if (path.ImportanceOrdinal == D3DKMDT_VPPI_PRIMARY) std::swap(mode.list[0], mode.list[mode.count - 1]);
  return STATUS_SUCCESS;
}

// STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY: the adapter cannot show it.
NTSTATUS GatherModes(const Topology& topology, std::uint32_t sources, std::uint32_t affected, SourceModes& modes) {
  return ForEachPath(topology, [&](const D3DKMDT_VIDPN_PRESENT_PATH& path) -> NTSTATUS {
    if (affected != D3DDDI_ID_ALL && path.VidPnSourceId != affected) return STATUS_SUCCESS;
    if (!IsSupported(sources, path)) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    return AddPath(modes[path.VidPnSourceId], path);
  });
}

}  // namespace

NTSTATUS IsSupportedVidPn(const DXGKRNL_INTERFACE& kernel, std::uint32_t sources, DXGKARG_ISSUPPORTEDVIDPN& args) {
  Topology topology;
  if (const NTSTATUS status = OpenTopology(kernel, args.hDesiredVidPn, topology); !NT_SUCCESS(status)) return status;
  SourceModes modes;
  const NTSTATUS status = GatherModes(topology, sources, D3DDDI_ID_ALL, modes);
  args.IsVidPnSupported = NT_SUCCESS(status) ? TRUE : FALSE;
  return status == STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY ? STATUS_SUCCESS : status;
}

NTSTATUS EnumVidPnCofuncModality(const DXGKRNL_INTERFACE& kernel, const DXGKARG_ENUMVIDPNCOFUNCMODALITY& args) {
  Topology topology;
  if (const NTSTATUS status = OpenTopology(kernel, args.hConstrainingVidPn, topology); !NT_SUCCESS(status)) return status;
  return ForEachPath(topology, [&](D3DKMDT_VIDPN_PRESENT_PATH path) {
    if (const NTSTATUS status = OfferModes(kernel, args, path.VidPnSourceId, path.VidPnTargetId); !NT_SUCCESS(status))
      return status;
    auto& support = path.ContentTransformation.RotationSupport;
    support.Value = 0;
    support.Identity = support.Rotate90 = support.Rotate180 = support.Rotate270 = 1;
    support.Offset0 = support.Offset90 = support.Offset180 = support.Offset270 = 1;
    return topology.functions->pfnUpdatePathSupportInfo(topology.handle, &path);
  });
}

NTSTATUS ReadCommit(const DXGKRNL_INTERFACE& kernel, std::uint32_t sources, const DXGKARG_COMMITVIDPN& args, SourceModes& modes) {
  const std::uint32_t affected = args.AffectedVidPnSourceId;
  if (affected != D3DDDI_ID_ALL && affected >= sources) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  Topology topology;
  if (const NTSTATUS status = OpenTopology(kernel, args.hFunctionalVidPn, topology); !NT_SUCCESS(status)) return status;
  return GatherModes(topology, sources, affected, modes);
}

NTSTATUS ReadActivePath(std::uint32_t sources, const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH& args, ActivePath& path) {
  const D3DKMDT_VIDPN_PRESENT_PATH& given = args.VidPnPresentPathInfo;
  if (!IsSupported(sources, given)) return STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH;
  if (const NTSTATUS status = CheckRamp(given.GammaRamp); !NT_SUCCESS(status)) return status;
  path = {given.VidPnSourceId, ContentRotation(given), {given.VidPnTargetId, OffsetRotation(given)}};
  return STATUS_SUCCESS;
}

}  // namespace tandem::drivers
