#include "kernel/present/mode_commit.h"

#include <algorithm>

#include <fmt/core.h>

#include "kernel/adapter/vidpn.h"
#include "kernel/memory/ddi_call.h"

namespace tandem::kernel {
namespace {

// D3DKMDT_VPPR_* counts the rotation of the content within that of the offset, both from 1.
D3DKMDT_VIDPN_PRESENT_PATH_ROTATION ToPathRotation(D3DDDI_ROTATION content, D3DDDI_ROTATION offset) {
  return static_cast<D3DKMDT_VIDPN_PRESENT_PATH_ROTATION>(content + 4 * (offset - D3DDDI_ROTATION_IDENTITY));
}

// Drivers from before offsets report no Offset0.
bool IsSupported(const D3DKMDT_VIDPN_PRESENT_PATH& path) {
  const D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation = path.ContentTransformation.Rotation;
  const UINT support = path.ContentTransformation.RotationSupport.Value;
  const auto content = static_cast<UINT>(D3DKMDT_VPPR_GET_CONTENT_ROTATION_PART(rotation)) - 1;
  const auto offset = static_cast<UINT>(D3DKMDT_VPPR_GET_OFFSET_ROTATION(rotation)) - 1;
  return (support >> content & 1) != 0 && (offset == 0 || (support >> (4 + offset) & 1) != 0);
}

bool IsTurned(const D3DKMDT_VIDPN_PRESENT_PATH& path) { return path.ContentTransformation.Rotation != D3DKMDT_VPPR_IDENTITY; }

NTSTATUS Negotiate(Adapter& adapter, VidPn& vidpn) {
  const DRIVER_INITIALIZATION_DATA& ddi = adapter.ddi();
  const auto& paths = vidpn.paths();
  if (std::any_of(paths.begin(), paths.end(), &IsTurned) && ddi.DxgkDdiEnumVidPnCofuncModality != nullptr) {
    DXGKARG_ENUMVIDPNCOFUNCMODALITY modality{};
    modality.hConstrainingVidPn = vidpn.Lend();
    modality.EnumPivotType = D3DKMDT_EPT_ROTATION;
    modality.EnumPivot = {paths.front().VidPnSourceId, paths.front().VidPnTargetId};
    const NTSTATUS status = CallDdi(adapter, Ddi::kEnumVidPnCofuncModality, ddi.DxgkDdiEnumVidPnCofuncModality,
                                    adapter.miniport_context(), static_cast<const DXGKARG_ENUMVIDPNCOFUNCMODALITY*>(&modality));
    if (!NT_SUCCESS(status)) return status;
  }
  if (!std::all_of(paths.begin(), paths.end(), &IsSupported)) return STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED;
  if (ddi.DxgkDdiIsSupportedVidPn == nullptr) return STATUS_SUCCESS;
  DXGKARG_ISSUPPORTEDVIDPN question{vidpn.Lend(), FALSE};
  const NTSTATUS status =
      CallDdi(adapter, Ddi::kIsSupportedVidPn, ddi.DxgkDdiIsSupportedVidPn, adapter.miniport_context(), &question);
  if (!NT_SUCCESS(status)) return status;
  return question.IsVidPnSupported ? STATUS_SUCCESS : STATUS_GRAPHICS_VIDPN_TOPOLOGY_NOT_SUPPORTED;
}

}  // namespace

NTSTATUS CommitMode(Adapter& adapter, std::uint32_t vidpn_source, std::span<const SourceTarget> targets,
                    const Allocation& primary, D3DDDI_ROTATION rotation) {
  VidPn vidpn;
  for (const SourceTarget& target : targets) {
    vidpn.AddPath(vidpn_source, target.target, ToPathRotation(rotation, target.offset));
  }
  if (vidpn.paths().empty()) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  if (adapter.trial().lists_primary_last) vidpn.ReversePaths();
  vidpn.PinMode(vidpn_source, primary.description.width, primary.description.height, primary.description.format);
  NTSTATUS status = Negotiate(adapter, vidpn);
  if (NT_SUCCESS(status)) {
    DXGKARG_COMMITVIDPN commit{};
    commit.hFunctionalVidPn = vidpn.Lend();
    commit.AffectedVidPnSourceId = vidpn_source;
    commit.MonitorConnectivityChecks = D3DKMDT_MCC_IGNORE;
    commit.hPrimaryAllocation = primary.driver_handle;
    status = CallDdi(adapter, Ddi::kCommitVidPn, adapter.ddi().DxgkDdiCommitVidPn, adapter.miniport_context(),
                     static_cast<const DXGKARG_COMMITVIDPN*>(&commit));
  }
  if (vidpn.acquired() != 0) {
    adapter.ReportViolation("VidPn.WhatIsAcquiredIsReleased",
                            fmt::format("{} objects of a VidPN were not released when the DDI returned.", vidpn.acquired()));
    return STATUS_DEVICE_REMOVED;
  }
  return status;
}

}  // namespace tandem::kernel
