// The functions of DXGK_VIDPNTOPOLOGY_INTERFACE.
#include <algorithm>

#include "kernel/adapter/vidpn_handles.h"

namespace tandem::kernel {
namespace {

using Path = D3DKMDT_VIDPN_PRESENT_PATH;
using PathInfo = Acquirable<Path>;

PathInfo* FindPath(VidPnState& vidpn, UINT source, UINT target) {
  const auto found = std::find_if(vidpn.paths.begin(), vidpn.paths.end(), [=](const PathInfo& info) {
    return info.state == ElementState::kPart && info.value.VidPnSourceId == source && info.value.VidPnTargetId == target;
  });
  return found != vidpn.paths.end() ? &*found : nullptr;
}

NTSTATUS Give(PathInfo* info, CONST Path** path, NTSTATUS otherwise) {
  *path = info != nullptr ? &info->value : nullptr;
  if (info == nullptr) return otherwise;
  ++info->acquired;
  return STATUS_SUCCESS;
}

template <class Matches>
SIZE_T CountPaths(const VidPnState& vidpn, Matches&& matches) {
  return static_cast<SIZE_T>(std::count_if(vidpn.paths.begin(), vidpn.paths.end(), [&](const PathInfo& info) {
    return info.state == ElementState::kPart && matches(info.value);
  }));
}

NTSTATUS APIENTRY GetNumPaths(D3DKMDT_HVIDPNTOPOLOGY topology, SIZE_T* count) {
  const VidPnCall call(topology);
  if (call.Topology() == nullptr || count == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  *count = CountPaths(call.state(), [](const Path&) { return true; });
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY GetNumPathsFromSource(D3DKMDT_HVIDPNTOPOLOGY topology, D3DDDI_VIDEO_PRESENT_SOURCE_ID source, SIZE_T* count) {
  const VidPnCall call(topology);
  if (call.Topology() == nullptr || count == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  *count = CountPaths(call.state(), [=](const Path& path) { return path.VidPnSourceId == source; });
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY EnumPathTargetsFromSource(D3DKMDT_HVIDPNTOPOLOGY topology, D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                            D3DKMDT_VIDPN_PRESENT_PATH_INDEX index, D3DDDI_VIDEO_PRESENT_TARGET_ID* target) {
  const VidPnCall call(topology);
  if (call.Topology() == nullptr || target == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  for (const PathInfo& info : call.state().paths) {
    if (info.state != ElementState::kPart || info.value.VidPnSourceId != source || index-- != 0) continue;
    *target = info.value.VidPnTargetId;
    return STATUS_SUCCESS;
  }
  return STATUS_GRAPHICS_SOURCE_NOT_IN_TOPOLOGY;
}

NTSTATUS APIENTRY GetPathSourceFromTarget(D3DKMDT_HVIDPNTOPOLOGY topology, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                          D3DDDI_VIDEO_PRESENT_SOURCE_ID* source) {
  const VidPnCall call(topology);
  if (call.Topology() == nullptr || source == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  for (const PathInfo& info : call.state().paths) {
    if (info.state != ElementState::kPart || info.value.VidPnTargetId != target) continue;
    *source = info.value.VidPnSourceId;
    return STATUS_SUCCESS;
  }
  return STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY;
}

NTSTATUS APIENTRY AcquirePathInfo(D3DKMDT_HVIDPNTOPOLOGY topology, D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                  D3DDDI_VIDEO_PRESENT_TARGET_ID target, CONST Path** path) {
  const VidPnCall call(topology);
  if (call.Topology() == nullptr || path == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  return Give(FindPath(call.state(), source, target), path, STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY);
}

NTSTATUS APIENTRY AcquireFirstPathInfo(D3DKMDT_HVIDPNTOPOLOGY topology, CONST Path** path) {
  const VidPnCall call(topology);
  if (call.Topology() == nullptr || path == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  return Give(NextPart<Path>(call.state().paths, nullptr), path, STATUS_GRAPHICS_DATASET_IS_EMPTY);
}

NTSTATUS APIENTRY AcquireNextPathInfo(D3DKMDT_HVIDPNTOPOLOGY topology, CONST Path* path, CONST Path** next) {
  const VidPnCall call(topology);
  if (call.Topology() == nullptr || next == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  *next = nullptr;
  const PathInfo* info = FindElement(call.state().paths, path);
  if (info == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH;
  return Give(NextPart(call.state().paths, info), next, STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET);
}

// The driver describes its support in a copy of the path, or in one that it acquired.
NTSTATUS APIENTRY UpdatePathSupportInfo(D3DKMDT_HVIDPNTOPOLOGY topology, CONST Path* path) {
  const VidPnCall call(topology);
  if (call.Topology() == nullptr || path == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  if (call.state().access == VidPnAccess::kRead) return STATUS_ACCESS_DENIED;
  PathInfo* info = FindPath(call.state(), path->VidPnSourceId, path->VidPnTargetId);
  if (info == nullptr) return STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY;
  Path& own = info->value;
  const bool has_offset = path->ContentTransformation.RotationSupport.Offset0 != 0;
  if (call.state().demands.offset_of_primary && own.ImportanceOrdinal == D3DKMDT_VPPI_PRIMARY && !has_offset) {
    ++call.state().faults.offsets;
    return STATUS_INVALID_PARAMETER;
  }
  own.ContentTransformation.ScalingSupport = path->ContentTransformation.ScalingSupport;
  own.ContentTransformation.RotationSupport = path->ContentTransformation.RotationSupport;
  own.CopyProtection.CopyProtectionSupport = path->CopyProtection.CopyProtectionSupport;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY ReleasePathInfo(D3DKMDT_HVIDPNTOPOLOGY topology, CONST Path* path) {
  const VidPnCall call(topology);
  if (call.Topology() == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  PathInfo* info = FindElement(call.state().paths, path);
  if (info == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH;
  if (info->state == ElementState::kMade) {
    info->state = ElementState::kGone;
  } else if (info->acquired == 0) {
    return STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH;
  } else {
    --info->acquired;
  }
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY CreateNewPathInfo(D3DKMDT_HVIDPNTOPOLOGY topology, Path** path) {
  const VidPnCall call(topology);
  if (call.Topology() == nullptr || path == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  *path = nullptr;
  if (call.state().access != VidPnAccess::kTopology) return STATUS_ACCESS_DENIED;
  if (call.state().paths.size() == kMaxPathInfos) return STATUS_NO_MEMORY;
  PathInfo& info = call.state().paths.emplace_back();
  info.value.GammaRamp.Type = D3DDDI_GAMMARAMP_DEFAULT;
  *path = &info.value;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AddPath(D3DKMDT_HVIDPNTOPOLOGY topology, Path* path) {
  const VidPnCall call(topology);
  if (call.Topology() == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  VidPnState& vidpn = call.state();
  PathInfo* info = FindElement<Path>(vidpn.paths, path);
  if (info == nullptr || info->state != ElementState::kMade) return STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH;
  const UINT source = path->VidPnSourceId, target = path->VidPnTargetId;
  if (FindPath(vidpn, source, target) != nullptr) return STATUS_GRAPHICS_PATH_ALREADY_IN_TOPOLOGY;
  if (!vidpn.MakeSets(source, target)) return STATUS_NO_MEMORY;
  info->state = ElementState::kPart;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY RemovePath(D3DKMDT_HVIDPNTOPOLOGY topology, D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                             D3DDDI_VIDEO_PRESENT_TARGET_ID target) {
  const VidPnCall call(topology);
  if (call.Topology() == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  if (call.state().access != VidPnAccess::kTopology) return STATUS_ACCESS_DENIED;
  PathInfo* info = FindPath(call.state(), source, target);
  if (info == nullptr) return STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY;
  info->state = ElementState::kGone;
  return STATUS_SUCCESS;
}

}  // namespace

const DXGK_VIDPNTOPOLOGY_INTERFACE& TopologyFunctions() {
  static constexpr DXGK_VIDPNTOPOLOGY_INTERFACE kFunctions{&GetNumPaths,
                                                           &GetNumPathsFromSource,
                                                           &EnumPathTargetsFromSource,
                                                           &GetPathSourceFromTarget,
                                                           &AcquirePathInfo,
                                                           &AcquireFirstPathInfo,
                                                           &AcquireNextPathInfo,
                                                           &UpdatePathSupportInfo,
                                                           &ReleasePathInfo,
                                                           &CreateNewPathInfo,
                                                           &AddPath,
                                                           &RemovePath};
  return kFunctions;
}

}  // namespace tandem::kernel
