// Video present networks: the frame buffer's one mode on the one path from source to target.
#include "Device.h"

#include "VidPn.tmh"

VOID Device::DescribeSignal(_Out_ D3DKMDT_VIDEO_SIGNAL_INFO* Signal) const {
  Signal->VideoStandard = D3DKMDT_VSS_OTHER;
  Signal->TotalSize.cx = m_Display.Width;
  Signal->TotalSize.cy = m_Display.Height;
  Signal->ActiveSize = Signal->TotalSize;
  Signal->VSyncFreq.Numerator = D3DKMDT_FREQUENCY_NOTSPECIFIED;
  Signal->VSyncFreq.Denominator = D3DKMDT_FREQUENCY_NOTSPECIFIED;
  Signal->HSyncFreq.Numerator = D3DKMDT_FREQUENCY_NOTSPECIFIED;
  Signal->HSyncFreq.Denominator = D3DKMDT_FREQUENCY_NOTSPECIFIED;
  Signal->PixelRate = D3DKMDT_FREQUENCY_NOTSPECIFIED;
  Signal->ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
}

BOOLEAN Device::IsOwnMode(_In_ CONST D3DKMDT_VIDPN_SOURCE_MODE* Mode) const {
  if (Mode->Type != D3DKMDT_RMT_GRAPHICS) return FALSE;
  CONST D3DKMDT_GRAPHICS_RENDERING_FORMAT* Format = &Mode->Format.Graphics;
  return Format->PrimSurfSize.cx == m_Display.Width && Format->PrimSurfSize.cy == m_Display.Height &&
         (Format->PixelFormat == D3DDDIFMT_A8R8G8B8 || Format->PixelFormat == D3DDDIFMT_X8R8G8B8);
}

// Without a VidPN, or without a path, the adapter shows nothing: supported.
NTSTATUS Device::IsSupportedVidPn(_Inout_ DXGKARG_ISSUPPORTEDVIDPN* Support) {
  PAGED_CODE();
  Support->IsVidPnSupported = TRUE;
  if (Support->hDesiredVidPn == NULL) return STATUS_SUCCESS;
  Support->IsVidPnSupported = FALSE;
  CONST DXGK_VIDPN_INTERFACE* VidPn;
  NTSTATUS Status = m_Dxgkrnl.DxgkCbQueryVidPnInterface(Support->hDesiredVidPn, DXGK_VIDPN_INTERFACE_VERSION_V1, &VidPn);
  if (!NT_SUCCESS(Status)) return Status;
  D3DKMDT_HVIDPNTOPOLOGY Handle;
  CONST DXGK_VIDPNTOPOLOGY_INTERFACE* Topology;
  Status = VidPn->pfnGetTopology(Support->hDesiredVidPn, &Handle, &Topology);
  if (!NT_SUCCESS(Status)) return Status;
  SIZE_T Paths = 0;
  Status = Topology->pfnGetNumPathsFromSource(Handle, SOURCE_ID, &Paths);
  if (Status == STATUS_GRAPHICS_SOURCE_NOT_IN_TOPOLOGY) Status = STATUS_SUCCESS;
  if (!NT_SUCCESS(Status)) return Status;
  Support->IsVidPnSupported = Paths <= 1;
  return STATUS_SUCCESS;
}

// The kernel owns a mode once it is in a set; before that, the driver releases it.
NTSTATUS Device::RecommendMonitorModes(_In_ CONST DXGKARG_RECOMMENDMONITORMODES* Modes) {
  PAGED_CODE();
  D3DKMDT_MONITOR_SOURCE_MODE* Mode = NULL;
  CONST DXGK_MONITORSOURCEMODESET_INTERFACE* Set = Modes->pMonitorSourceModeSetInterface;
  NTSTATUS Status = Set->pfnCreateNewModeInfo(Modes->hMonitorSourceModeSet, &Mode);
  if (!NT_SUCCESS(Status)) return Status;
  DescribeSignal(&Mode->VideoSignalInfo);
  Mode->ColorBasis = D3DKMDT_CB_SRGB;
  Mode->ColorCoeffDynamicRanges.FirstChannel = 8;
  Mode->ColorCoeffDynamicRanges.SecondChannel = 8;
  Mode->ColorCoeffDynamicRanges.ThirdChannel = 8;
  Mode->ColorCoeffDynamicRanges.FourthChannel = 8;
  Mode->Origin = D3DKMDT_MCO_DRIVER;
  Mode->Preference = D3DKMDT_MP_PREFERRED;
  Status = Set->pfnAddMode(Modes->hMonitorSourceModeSet, Mode);
  if (NT_SUCCESS(Status)) return STATUS_SUCCESS;
  Set->pfnReleaseModeInfo(Modes->hMonitorSourceModeSet, Mode);
  return Status == STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET ? STATUS_SUCCESS : Status;
}

NTSTATUS Device::AddSourceMode(D3DKMDT_HVIDPN VidPn, CONST DXGK_VIDPN_INTERFACE* Interface) {
  D3DKMDT_HVIDPNSOURCEMODESET Handle;
  CONST DXGK_VIDPNSOURCEMODESET_INTERFACE* Set;
  NTSTATUS Status = Interface->pfnAcquireSourceModeSet(VidPn, SOURCE_ID, &Handle, &Set);
  if (!NT_SUCCESS(Status)) return Status;
  CONST D3DKMDT_VIDPN_SOURCE_MODE* Pinned = NULL;
  Status = Set->pfnAcquirePinnedModeInfo(Handle, &Pinned);
  CONST BOOLEAN IsPinned = NT_SUCCESS(Status) && Pinned != NULL;
  if (IsPinned) Set->pfnReleaseModeInfo(Handle, Pinned);
  Interface->pfnReleaseSourceModeSet(VidPn, Handle);
  if (IsPinned) return STATUS_SUCCESS;

  Status = Interface->pfnCreateNewSourceModeSet(VidPn, SOURCE_ID, &Handle, &Set);
  if (!NT_SUCCESS(Status)) return Status;
  D3DKMDT_VIDPN_SOURCE_MODE* Mode = NULL;
  Status = Set->pfnCreateNewModeInfo(Handle, &Mode);
  if (NT_SUCCESS(Status)) {
    Mode->Type = D3DKMDT_RMT_GRAPHICS;
    Mode->Format.Graphics.PrimSurfSize.cx = m_Display.Width;
    Mode->Format.Graphics.PrimSurfSize.cy = m_Display.Height;
    Mode->Format.Graphics.VisibleRegionSize = Mode->Format.Graphics.PrimSurfSize;
    Mode->Format.Graphics.Stride = m_Display.Pitch;
    Mode->Format.Graphics.PixelFormat = D3DDDIFMT_A8R8G8B8;
    Mode->Format.Graphics.ColorBasis = D3DKMDT_CB_SCRGB;
    Mode->Format.Graphics.PixelValueAccessMode = D3DKMDT_PVAM_DIRECT;
    Status = Set->pfnAddMode(Handle, Mode);
    if (!NT_SUCCESS(Status)) Set->pfnReleaseModeInfo(Handle, Mode);
  }
  if (NT_SUCCESS(Status)) Status = Interface->pfnAssignSourceModeSet(VidPn, SOURCE_ID, Handle);
  if (!NT_SUCCESS(Status)) Interface->pfnReleaseSourceModeSet(VidPn, Handle);
  return Status;
}

NTSTATUS Device::AddTargetMode(D3DKMDT_HVIDPN VidPn, CONST DXGK_VIDPN_INTERFACE* Interface) {
  D3DKMDT_HVIDPNTARGETMODESET Handle;
  CONST DXGK_VIDPNTARGETMODESET_INTERFACE* Set;
  NTSTATUS Status = Interface->pfnAcquireTargetModeSet(VidPn, TARGET_ID, &Handle, &Set);
  if (!NT_SUCCESS(Status)) return Status;
  CONST D3DKMDT_VIDPN_TARGET_MODE* Pinned = NULL;
  Status = Set->pfnAcquirePinnedModeInfo(Handle, &Pinned);
  CONST BOOLEAN IsPinned = NT_SUCCESS(Status) && Pinned != NULL;
  if (IsPinned) Set->pfnReleaseModeInfo(Handle, Pinned);
  Interface->pfnReleaseTargetModeSet(VidPn, Handle);
  if (IsPinned) return STATUS_SUCCESS;

  Status = Interface->pfnCreateNewTargetModeSet(VidPn, TARGET_ID, &Handle, &Set);
  if (!NT_SUCCESS(Status)) return Status;
  D3DKMDT_VIDPN_TARGET_MODE* Mode = NULL;
  Status = Set->pfnCreateNewModeInfo(Handle, &Mode);
  if (NT_SUCCESS(Status)) {
    DescribeSignal(&Mode->VideoSignalInfo);
    Mode->Preference = D3DKMDT_MP_PREFERRED;
    Status = Set->pfnAddMode(Handle, Mode);
    if (!NT_SUCCESS(Status)) Set->pfnReleaseModeInfo(Handle, Mode);
  }
  if (NT_SUCCESS(Status)) Status = Interface->pfnAssignTargetModeSet(VidPn, TARGET_ID, Handle);
  if (!NT_SUCCESS(Status)) Interface->pfnReleaseTargetModeSet(VidPn, Handle);
  return Status;
}

// A set that the kernel holds fixed, the pivot's, stays as it is.
NTSTATUS Device::EnumVidPnCofuncModality(_In_ CONST DXGKARG_ENUMVIDPNCOFUNCMODALITY* Modality) {
  PAGED_CODE();
  CONST DXGK_VIDPN_INTERFACE* VidPn;
  NTSTATUS Status = m_Dxgkrnl.DxgkCbQueryVidPnInterface(Modality->hConstrainingVidPn, DXGK_VIDPN_INTERFACE_VERSION_V1, &VidPn);
  if (!NT_SUCCESS(Status)) return Status;
  D3DKMDT_HVIDPNTOPOLOGY Handle;
  CONST DXGK_VIDPNTOPOLOGY_INTERFACE* Topology;
  Status = VidPn->pfnGetTopology(Modality->hConstrainingVidPn, &Handle, &Topology);
  if (!NT_SUCCESS(Status)) return Status;
  CONST D3DKMDT_VIDPN_PRESENT_PATH* Path = NULL;
  Status = Topology->pfnAcquirePathInfo(Handle, SOURCE_ID, TARGET_ID, &Path);
  if (!NT_SUCCESS(Status) || Path == NULL) return STATUS_SUCCESS;  // Another path, or none.

  if (Modality->EnumPivotType != D3DKMDT_EPT_VIDPNSOURCE) Status = AddSourceMode(Modality->hConstrainingVidPn, VidPn);
  if (NT_SUCCESS(Status) && Modality->EnumPivotType != D3DKMDT_EPT_VIDPNTARGET) {
    Status = AddTargetMode(Modality->hConstrainingVidPn, VidPn);
  }
  if (NT_SUCCESS(Status)) {
    D3DKMDT_VIDPN_PRESENT_PATH Changed = *Path;
    BOOLEAN IsChanged = FALSE;
    if (Modality->EnumPivotType != D3DKMDT_EPT_SCALING && Path->ContentTransformation.Scaling == D3DKMDT_VPPS_UNPINNED) {
      RtlZeroMemory(&Changed.ContentTransformation.ScalingSupport, sizeof(Changed.ContentTransformation.ScalingSupport));
      Changed.ContentTransformation.ScalingSupport.Identity = 1;
      IsChanged = TRUE;
    }
    if (Modality->EnumPivotType != D3DKMDT_EPT_ROTATION && Path->ContentTransformation.Rotation == D3DKMDT_VPPR_UNPINNED) {
      Changed.ContentTransformation.RotationSupport.Value = 0;
      Changed.ContentTransformation.RotationSupport.Identity = 1;
      Changed.ContentTransformation.RotationSupport.Offset0 = 1;
      IsChanged = TRUE;
    }
    if (IsChanged) Status = Topology->pfnUpdatePathSupportInfo(Handle, &Changed);
  }
  Topology->pfnReleasePathInfo(Handle, Path);
  return Status;
}

NTSTATUS Device::CommitVidPn(_In_ CONST DXGKARG_COMMITVIDPN* Commit) {
  PAGED_CODE();
  if (Commit->AffectedVidPnSourceId != SOURCE_ID && Commit->AffectedVidPnSourceId != D3DDDI_ID_ALL) {
    return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  }
  if (Commit->Flags.PathPoweredOff) return STATUS_SUCCESS;
  CONST DXGK_VIDPN_INTERFACE* VidPn;
  NTSTATUS Status = m_Dxgkrnl.DxgkCbQueryVidPnInterface(Commit->hFunctionalVidPn, DXGK_VIDPN_INTERFACE_VERSION_V1, &VidPn);
  if (!NT_SUCCESS(Status)) return Status;
  D3DKMDT_HVIDPNTOPOLOGY Topology;
  CONST DXGK_VIDPNTOPOLOGY_INTERFACE* TopologyInterface;
  Status = VidPn->pfnGetTopology(Commit->hFunctionalVidPn, &Topology, &TopologyInterface);
  if (!NT_SUCCESS(Status)) return Status;
  SIZE_T Paths = 0;
  Status = TopologyInterface->pfnGetNumPaths(Topology, &Paths);
  if (!NT_SUCCESS(Status)) return Status;
  if (Paths == 0) {
    m_Visible = FALSE;
    Blacken();
    return STATUS_SUCCESS;
  }
  D3DKMDT_HVIDPNSOURCEMODESET Handle;
  CONST DXGK_VIDPNSOURCEMODESET_INTERFACE* Set;
  Status = VidPn->pfnAcquireSourceModeSet(Commit->hFunctionalVidPn, SOURCE_ID, &Handle, &Set);
  if (!NT_SUCCESS(Status)) return Status;
  CONST D3DKMDT_VIDPN_SOURCE_MODE* Mode = NULL;
  Status = Set->pfnAcquirePinnedModeInfo(Handle, &Mode);
  if (NT_SUCCESS(Status) && Mode != NULL) {
    if (!IsOwnMode(Mode)) Status = STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE_MODE;
    Set->pfnReleaseModeInfo(Handle, Mode);
  }
  VidPn->pfnReleaseSourceModeSet(Commit->hFunctionalVidPn, Handle);
  return NT_SUCCESS(Status) ? STATUS_SUCCESS : Status;
}
