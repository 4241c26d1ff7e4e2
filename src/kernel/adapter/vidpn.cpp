#include "kernel/adapter/vidpn.h"

#include <algorithm>

#include "base/check.h"

namespace tandem::kernel {
namespace {

thread_local VidPn* current = nullptr;

template <class... Args>
NTSTATUS APIENTRY NotSupported(Args...) {
  return STATUS_NOT_SUPPORTED;
}

}  // namespace

// The functions behind the interfaces. A VidPN, its topology and its mode sets are told from each other by their addresses.
struct VidPnFunctions {
  static VidPn* Of(const void* handle) { return handle != nullptr && handle == current ? current : nullptr; }
  static VidPn::PinnedMode* ModeOf(const void* handle) {
    if (current == nullptr) return nullptr;
    const auto found =
        std::find_if(current->modes_.begin(), current->modes_.end(), [=](const auto& mode) { return &mode == handle; });
    return found != current->modes_.end() ? &*found : nullptr;
  }
  static NTSTATUS Give(VidPn& vidpn, std::size_t index, CONST D3DKMDT_VIDPN_PRESENT_PATH** path, NTSTATUS otherwise) {
    *path = nullptr;
    if (index >= vidpn.paths_.size()) return otherwise;
    *path = &vidpn.paths_[index];
    ++vidpn.acquired_;
    return STATUS_SUCCESS;
  }
  static std::size_t IndexOf(const VidPn& vidpn, const D3DKMDT_VIDPN_PRESENT_PATH* path) {
    const auto found = std::find_if(vidpn.paths_.begin(), vidpn.paths_.end(), [=](const auto& own) { return &own == path; });
    return static_cast<std::size_t>(found - vidpn.paths_.begin());
  }

  static NTSTATUS APIENTRY GetNumPaths(D3DKMDT_HVIDPNTOPOLOGY topology, SIZE_T* count) {
    const VidPn* vidpn = Of(topology);
    if (vidpn == nullptr || count == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    *count = vidpn->paths_.size();
    return STATUS_SUCCESS;
  }
  static NTSTATUS APIENTRY GetNumPathsFromSource(D3DKMDT_HVIDPNTOPOLOGY topology, D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                                 SIZE_T* count) {
    const VidPn* vidpn = Of(topology);
    if (vidpn == nullptr || count == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    *count = static_cast<SIZE_T>(std::count_if(vidpn->paths_.begin(), vidpn->paths_.end(),
                                               [=](const auto& path) { return path.VidPnSourceId == source; }));
    return STATUS_SUCCESS;
  }
  static NTSTATUS APIENTRY EnumPathTargetsFromSource(D3DKMDT_HVIDPNTOPOLOGY topology, D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                                     D3DKMDT_VIDPN_PRESENT_PATH_INDEX index,
                                                     D3DDDI_VIDEO_PRESENT_TARGET_ID* target) {
    const VidPn* vidpn = Of(topology);
    if (vidpn == nullptr || target == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    for (const auto& path : vidpn->paths_) {
      if (path.VidPnSourceId != source || index-- != 0) continue;
      *target = path.VidPnTargetId;
      return STATUS_SUCCESS;
    }
    return STATUS_GRAPHICS_SOURCE_NOT_IN_TOPOLOGY;
  }
  static NTSTATUS APIENTRY GetPathSourceFromTarget(D3DKMDT_HVIDPNTOPOLOGY topology, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                                   D3DDDI_VIDEO_PRESENT_SOURCE_ID* source) {
    const VidPn* vidpn = Of(topology);
    if (vidpn == nullptr || source == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    for (const auto& path : vidpn->paths_) {
      if (path.VidPnTargetId != target) continue;
      *source = path.VidPnSourceId;
      return STATUS_SUCCESS;
    }
    return STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY;
  }
  static NTSTATUS APIENTRY AcquirePathInfo(D3DKMDT_HVIDPNTOPOLOGY topology, D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                           D3DDDI_VIDEO_PRESENT_TARGET_ID target, CONST D3DKMDT_VIDPN_PRESENT_PATH** path) {
    VidPn* vidpn = Of(topology);
    if (vidpn == nullptr || path == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    const auto found = std::find_if(vidpn->paths_.begin(), vidpn->paths_.end(),
                                    [=](const auto& own) { return own.VidPnSourceId == source && own.VidPnTargetId == target; });
    return Give(*vidpn, static_cast<std::size_t>(found - vidpn->paths_.begin()), path, STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY);
  }
  static NTSTATUS APIENTRY AcquireFirstPathInfo(D3DKMDT_HVIDPNTOPOLOGY topology, CONST D3DKMDT_VIDPN_PRESENT_PATH** path) {
    VidPn* vidpn = Of(topology);
    if (vidpn == nullptr || path == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    return Give(*vidpn, 0, path, STATUS_GRAPHICS_DATASET_IS_EMPTY);
  }
  static NTSTATUS APIENTRY AcquireNextPathInfo(D3DKMDT_HVIDPNTOPOLOGY topology, CONST D3DKMDT_VIDPN_PRESENT_PATH* path,
                                               CONST D3DKMDT_VIDPN_PRESENT_PATH** next) {
    VidPn* vidpn = Of(topology);
    if (vidpn == nullptr || next == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    const std::size_t index = IndexOf(*vidpn, path);
    if (index == vidpn->paths_.size()) return STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH;
    return Give(*vidpn, index + 1, next, STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET);
  }
  // The driver describes its support in a copy of the path, or in what it acquired.
  static NTSTATUS APIENTRY UpdatePathSupportInfo(D3DKMDT_HVIDPNTOPOLOGY topology, CONST D3DKMDT_VIDPN_PRESENT_PATH* path) {
    VidPn* vidpn = Of(topology);
    if (vidpn == nullptr || path == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    for (auto& own : vidpn->paths_) {
      if (own.VidPnSourceId != path->VidPnSourceId || own.VidPnTargetId != path->VidPnTargetId) continue;
      own.ContentTransformation.ScalingSupport = path->ContentTransformation.ScalingSupport;
      own.ContentTransformation.RotationSupport = path->ContentTransformation.RotationSupport;
      return STATUS_SUCCESS;
    }
    return STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY;
  }
  static NTSTATUS APIENTRY ReleasePathInfo(D3DKMDT_HVIDPNTOPOLOGY topology, CONST D3DKMDT_VIDPN_PRESENT_PATH* path) {
    VidPn* vidpn = Of(topology);
    if (vidpn == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    if (IndexOf(*vidpn, path) == vidpn->paths_.size()) return STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH;
    --vidpn->acquired_;
    return STATUS_SUCCESS;
  }

  static NTSTATUS APIENTRY GetNumModes(D3DKMDT_HVIDPNSOURCEMODESET set, SIZE_T* count) {
    if (ModeOf(set) == nullptr || count == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET;
    *count = 1;
    return STATUS_SUCCESS;
  }
  static NTSTATUS APIENTRY AcquireMode(D3DKMDT_HVIDPNSOURCEMODESET set, CONST D3DKMDT_VIDPN_SOURCE_MODE** mode) {
    VidPn::PinnedMode* pinned = ModeOf(set);
    if (pinned == nullptr || mode == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET;
    *mode = &pinned->mode;
    ++current->acquired_;
    return STATUS_SUCCESS;
  }
  static NTSTATUS APIENTRY AcquireNextMode(D3DKMDT_HVIDPNSOURCEMODESET set, CONST D3DKMDT_VIDPN_SOURCE_MODE* /*mode*/,
                                           CONST D3DKMDT_VIDPN_SOURCE_MODE** next) {
    if (ModeOf(set) == nullptr || next == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET;
    *next = nullptr;
    return STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET;
  }
  static NTSTATUS APIENTRY ReleaseMode(D3DKMDT_HVIDPNSOURCEMODESET set, CONST D3DKMDT_VIDPN_SOURCE_MODE* mode) {
    const VidPn::PinnedMode* pinned = ModeOf(set);
    if (pinned == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET;
    if (mode != &pinned->mode) return STATUS_GRAPHICS_MODE_NOT_IN_MODESET;
    --current->acquired_;
    return STATUS_SUCCESS;
  }

  static NTSTATUS APIENTRY GetTopology(D3DKMDT_HVIDPN handle, D3DKMDT_HVIDPNTOPOLOGY* topology,
                                       CONST DXGK_VIDPNTOPOLOGY_INTERFACE** functions) {
    static constexpr DXGK_VIDPNTOPOLOGY_INTERFACE kFunctions{
        &GetNumPaths,          &GetNumPathsFromSource, &EnumPathTargetsFromSource, &GetPathSourceFromTarget, &AcquirePathInfo,
        &AcquireFirstPathInfo, &AcquireNextPathInfo,   &UpdatePathSupportInfo,     &ReleasePathInfo,         &NotSupported,
        &NotSupported,         &NotSupported};
    if (Of(handle) == nullptr || topology == nullptr || functions == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN;
    *topology = reinterpret_cast<D3DKMDT_HVIDPNTOPOLOGY>(handle);
    *functions = &kFunctions;
    return STATUS_SUCCESS;
  }
  static NTSTATUS APIENTRY AcquireSourceModeSet(D3DKMDT_HVIDPN handle, D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                                D3DKMDT_HVIDPNSOURCEMODESET* set,
                                                CONST DXGK_VIDPNSOURCEMODESET_INTERFACE** functions) {
    static constexpr DXGK_VIDPNSOURCEMODESET_INTERFACE kFunctions{&GetNumModes, &AcquireMode,  &AcquireNextMode, &AcquireMode,
                                                                  &ReleaseMode, &NotSupported, &NotSupported,    &NotSupported};
    VidPn* vidpn = Of(handle);
    if (vidpn == nullptr || set == nullptr || functions == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN;
    for (VidPn::PinnedMode& mode : vidpn->modes_) {
      if (mode.source != source) continue;
      *set = reinterpret_cast<D3DKMDT_HVIDPNSOURCEMODESET>(&mode);
      *functions = &kFunctions;
      ++vidpn->acquired_;
      return STATUS_SUCCESS;
    }
    return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  }
  static NTSTATUS APIENTRY ReleaseSourceModeSet(D3DKMDT_HVIDPN handle, D3DKMDT_HVIDPNSOURCEMODESET set) {
    VidPn* vidpn = Of(handle);
    if (vidpn == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN;
    if (ModeOf(set) == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET;
    --vidpn->acquired_;
    return STATUS_SUCCESS;
  }
};

VidPn::~VidPn() {
  if (current == this) current = nullptr;
}

void VidPn::AddPath(D3DDDI_VIDEO_PRESENT_SOURCE_ID source, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                    D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation) {
  D3DKMDT_VIDPN_PRESENT_PATH path{};
  path.VidPnSourceId = source;
  path.VidPnTargetId = target;
  const auto clones = std::count_if(paths_.begin(), paths_.end(), [=](const auto& own) { return own.VidPnSourceId == source; });
  path.ImportanceOrdinal = clones == 0 ? D3DKMDT_VPPI_PRIMARY : clones == 1 ? D3DKMDT_VPPI_SECONDARY : D3DKMDT_VPPI_TERTIARY;
  path.ContentTransformation.Scaling = D3DKMDT_VPPS_IDENTITY;
  path.ContentTransformation.ScalingSupport.Identity = 1;
  path.ContentTransformation.Rotation = rotation;
  path.ContentTransformation.RotationSupport.Identity = 1;
  path.VidPnTargetColorBasis = D3DKMDT_CB_SRGB;
  path.Content = D3DKMDT_VPPC_GRAPHICS;
  path.CopyProtection.CopyProtectionType = D3DKMDT_VPPMT_NOPROTECTION;
  paths_.push_back(path);
}

void VidPn::PinMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID source, UINT width, UINT height, D3DDDIFORMAT format) {
  PinnedMode pinned{source, {}};
  pinned.mode.Type = D3DKMDT_RMT_GRAPHICS;
  pinned.mode.Format.Graphics.PrimSurfSize = {width, height};
  pinned.mode.Format.Graphics.VisibleRegionSize = {width, height};
  pinned.mode.Format.Graphics.PixelFormat = format;
  pinned.mode.Format.Graphics.ColorBasis = D3DKMDT_CB_SRGB;
  pinned.mode.Format.Graphics.PixelValueAccessMode = D3DKMDT_PVAM_DIRECT;
  modes_.push_back(pinned);
}

D3DKMDT_HVIDPN VidPn::Lend() {
  TANDEM_CHECK(current == nullptr || current == this);
  current = this;
  return reinterpret_cast<D3DKMDT_HVIDPN>(this);
}

NTSTATUS APIENTRY QueryVidPnInterface(D3DKMDT_HVIDPN vidpn, DXGK_VIDPN_INTERFACE_VERSION version,
                                      CONST DXGK_VIDPN_INTERFACE** functions) {
  using F = VidPnFunctions;
  static constexpr DXGK_VIDPN_INTERFACE kFunctions{DXGK_VIDPN_INTERFACE_VERSION_V1,
                                                   &F::GetTopology,
                                                   &F::AcquireSourceModeSet,
                                                   &F::ReleaseSourceModeSet,
                                                   &NotSupported,
                                                   &NotSupported,
                                                   &NotSupported,
                                                   &NotSupported,
                                                   &NotSupported,
                                                   &NotSupported,
                                                   &NotSupported};
  if (functions == nullptr) return STATUS_INVALID_PARAMETER;
  if (F::Of(vidpn) == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN;
  if (version != DXGK_VIDPN_INTERFACE_VERSION_V1) return STATUS_NOT_SUPPORTED;
  *functions = &kFunctions;
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
