#include "kernel/present/mode_commit.h"

#include <algorithm>

#include <fmt/core.h>

#include "kernel/adapter/rules.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/present/mode_fit.h"
#include "kernel/present/vidpn_duties.h"
#include "kernel/present/wanted_modes.h"

namespace tandem::kernel {
namespace {

bool IsQuarter(D3DDDI_ROTATION rotation) { return rotation == D3DDDI_ROTATION_90 || rotation == D3DDDI_ROTATION_270; }

}  // namespace

ModeCommit::ModeCommit(Adapter& adapter) : adapter_(adapter) { vidpn_.SetDemands(DemandsOn(adapter)); }

NTSTATUS ModeCommit::Negotiate(std::span<const PinnedSource> others, const WantedMode& wanted) {
  if (wanted.targets.empty()) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  source_ = wanted.source;
  for (const SourceTarget& target : wanted.targets) {
    targets_.push_back(target.target);
    vidpn_.AddPath(WantedPath(wanted.source, target.target, targets_.size()));
    vidpn_.Offer(target.target, IsQuarter(target.offset) ? WantedTargetMode(wanted.height, wanted.width)
                                                         : WantedTargetMode(wanted.width, wanted.height));
  }
  vidpn_.Offer(wanted.source, WantedSourceMode(wanted.width, wanted.height, wanted.format));
  for (const PinnedSource& other : others) Hold(vidpn_, other);
  if (adapter_.trial().lists_primary_last) vidpn_.ReversePaths();

  NTSTATUS status = Enumerate(D3DKMDT_EPT_NOPIVOT, {D3DDDI_ID_UNINITIALIZED, D3DDDI_ID_UNINITIALIZED});
  if (!NT_SUCCESS(status)) return status;
  const auto size = PinSource(wanted);
  if (!size) return STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED;
  status = Enumerate(D3DKMDT_EPT_VIDPNSOURCE, {wanted.source, D3DDDI_ID_UNINITIALIZED});
  if (NT_SUCCESS(status)) status = PinTargets(wanted, *size);
  if (NT_SUCCESS(status)) status = PinTransformations(wanted);
  return NT_SUCCESS(status) ? AskSupport(adapter_, vidpn_) : status;
}

std::optional<D3DKMDT_2DREGION> ModeCommit::PinSource(const WantedMode& wanted) {
  const auto modes = vidpn_.SourceModes(wanted.source);
  const auto mode = wanted.any_size ? ClosestSourceMode(modes, wanted.width, wanted.height, wanted.format)
                                    : FitSourceMode(modes, wanted.width, wanted.height, wanted.format);
  if (!mode || !vidpn_.PinSource(wanted.source, *mode)) return std::nullopt;
  return vidpn_.PinnedSource(wanted.source)->Format.Graphics.PrimSurfSize;
}

// Each pinned target may leave the others fewer modes.
NTSTATUS ModeCommit::PinTargets(const WantedMode& wanted, const D3DKMDT_2DREGION& size) {
  for (std::size_t i = 0; i < wanted.targets.size(); ++i) {
    const SourceTarget& target = wanted.targets[i];
    const bool quarter = IsQuarter(target.offset);
    const auto mode = FitTargetMode(vidpn_.TargetModes(target.target), quarter ? size.cy : size.cx, quarter ? size.cx : size.cy);
    if (!mode || !vidpn_.PinTarget(target.target, *mode)) return STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED;
    const NTSTATUS status = Enumerate(D3DKMDT_EPT_VIDPNTARGET, {D3DDDI_ID_UNINITIALIZED, target.target});
    if (!NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS ModeCommit::PinTransformations(const WantedMode& wanted) {
  const std::vector<D3DKMDT_VIDPN_PRESENT_PATH> paths = vidpn_.Paths();
  for (const SourceTarget& target : wanted.targets) {
    const auto path = std::find_if(paths.begin(), paths.end(), [&](const D3DKMDT_VIDPN_PRESENT_PATH& own) {
      return own.VidPnSourceId == wanted.source && own.VidPnTargetId == target.target;
    });
    const auto rotation = ToPathRotation(wanted.rotation, target.offset);
    const auto scaling = FitScaling(path->ContentTransformation.ScalingSupport);
    if (!Supports(path->ContentTransformation.RotationSupport, rotation) || !scaling) {
      return STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED;
    }
    vidpn_.PinTransformation(wanted.source, target.target, *scaling, rotation);
  }
  return STATUS_SUCCESS;
}

NTSTATUS ModeCommit::Enumerate(D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE type, DXGK_ENUM_PIVOT pivot) {
  const DRIVER_INITIALIZATION_DATA& ddi = adapter_.ddi();
  if (ddi.DxgkDdiEnumVidPnCofuncModality == nullptr) return STATUS_SUCCESS;
  VidPnPivot kept;
  if (type == D3DKMDT_EPT_VIDPNSOURCE) kept.source = pivot.VidPnSourceId;
  if (type == D3DKMDT_EPT_VIDPNTARGET) kept.target = pivot.VidPnTargetId;
  DXGKARG_ENUMVIDPNCOFUNCMODALITY args{vidpn_.Lend(VidPnAccess::kModes, kept), type, pivot};
  return TakeBack("DxgkDdiEnumVidPnCofuncModality",
                  CallDdi(adapter_, Ddi::kEnumVidPnCofuncModality, ddi.DxgkDdiEnumVidPnCofuncModality,
                          adapter_.miniport_context(), static_cast<const DXGKARG_ENUMVIDPNCOFUNCMODALITY*>(&args)));
}

NTSTATUS ModeCommit::Commit(HANDLE primary) {
  DXGKARG_COMMITVIDPN commit{};
  commit.hFunctionalVidPn = vidpn_.Lend(VidPnAccess::kRead);
  commit.AffectedVidPnSourceId = source_;
  commit.MonitorConnectivityChecks = D3DKMDT_MCC_IGNORE;
  commit.hPrimaryAllocation = primary;
  const NTSTATUS status =
      TakeBack("DxgkDdiCommitVidPn", CallDdi(adapter_, Ddi::kCommitVidPn, adapter_.ddi().DxgkDdiCommitVidPn,
                                             adapter_.miniport_context(), static_cast<const DXGKARG_COMMITVIDPN*>(&commit)));
  return NT_SUCCESS(status) ? AskHwCapabilities() : status;
}

NTSTATUS ModeCommit::TakeOff(std::span<const PinnedSource> others, std::uint32_t source) {
  source_ = source;
  for (const PinnedSource& other : others) Hold(vidpn_, other);
  return Commit(nullptr);
}

PinnedSource ModeCommit::Pinned() const {
  PinnedSource pinned;
  pinned.source = source_;
  if (const auto mode = vidpn_.PinnedSource(source_)) pinned.mode = *mode;
  for (const D3DKMDT_VIDPN_PRESENT_PATH& path : vidpn_.Paths()) {
    if (path.VidPnSourceId != source_) continue;
    const auto mode = vidpn_.PinnedTarget(path.VidPnTargetId);
    pinned.targets.push_back({path, mode.value_or(D3DKMDT_VIDPN_TARGET_MODE{})});
  }
  return pinned;
}

NTSTATUS ModeCommit::AskHwCapabilities() {
  const auto query = adapter_.ddi().DxgkDdiQueryVidPnHWCapability;
  if (query == nullptr) return STATUS_SUCCESS;
  for (const std::uint32_t target : targets_) {
    DXGKARG_QUERYVIDPNHWCAPABILITY args{vidpn_.Lend(VidPnAccess::kRead), source_, target, {}};
    const NTSTATUS status = TakeBack("DxgkDdiQueryVidPnHWCapability",
                                     CallDdi(adapter_, Ddi::kQueryVidPnHWCapability, query, adapter_.miniport_context(), &args));
    if (NT_SUCCESS(status) && args.VidPnHWCaps.Reserved != 0) {
      adapter_.ReportViolation(rules::kVidPnHwCapability, fmt::format("Reserved bits 0x{:X} of VidPnHWCaps are set.",
                                                                      static_cast<UINT>(args.VidPnHWCaps.Reserved)));
    }
    if (!adapter_.alive()) return STATUS_DEVICE_REMOVED;
  }
  return STATUS_SUCCESS;
}

NTSTATUS ModeCommit::TakeBack(const char* ddi, NTSTATUS status) {
  ReportFaults(adapter_, ddi, vidpn_.Return());
  return adapter_.alive() ? status : STATUS_DEVICE_REMOVED;
}

}  // namespace tandem::kernel
