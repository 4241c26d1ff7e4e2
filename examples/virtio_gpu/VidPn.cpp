// Video present networks: one path, with modes of the monitor's sizes and of those that the network brings. virtio-gpu scans out
// a rectangle of any size, and no timing is real, so that a size is all there is to a mode.
#include "Adapter.h"
#include "VidPnModes.h"

#include "VidPn.tmh"

// Reads the source's sizes: the pinned one alone, or all.
static NTSTATUS ReadSourceSizes(_In_ CONST Network* Net, _Inout_ SizeList* Sizes, _Out_ BOOLEAN* IsPinned) {
  D3DKMDT_HVIDPNSOURCEMODESET Handle;
  CONST DXGK_VIDPNSOURCEMODESET_INTERFACE* Set;
  *IsPinned = FALSE;
  NTSTATUS Status = Net->Functions->pfnAcquireSourceModeSet(Net->Handle, SOURCE_ID, &Handle, &Set);
  if (!NT_SUCCESS(Status)) return Status;
  CONST D3DKMDT_VIDPN_SOURCE_MODE* Mode = NULL;
  if (NT_SUCCESS(Set->pfnAcquirePinnedModeInfo(Handle, &Mode)) && Mode != NULL) {
    *IsPinned = TRUE;
    Sizes->Add(Mode->Format.Graphics.PrimSurfSize);
    Set->pfnReleaseModeInfo(Handle, Mode);
  } else {
    Status = Set->pfnAcquireFirstModeInfo(Handle, &Mode);
    while (Status == STATUS_SUCCESS && Mode != NULL) {
      CONST D3DKMDT_VIDPN_SOURCE_MODE* Next = NULL;
      if (Mode->Type == D3DKMDT_RMT_GRAPHICS) Sizes->Add(Mode->Format.Graphics.PrimSurfSize);
      Status = Set->pfnAcquireNextModeInfo(Handle, Mode, &Next);
      Set->pfnReleaseModeInfo(Handle, Mode);
      Mode = Next;
    }
  }
  Net->Functions->pfnReleaseSourceModeSet(Net->Handle, Handle);
  return STATUS_SUCCESS;
}

static NTSTATUS ReadPinnedTarget(_In_ CONST Network* Net, _Inout_ SizeList* Sizes, _Out_ BOOLEAN* IsPinned) {
  D3DKMDT_HVIDPNTARGETMODESET Handle;
  CONST DXGK_VIDPNTARGETMODESET_INTERFACE* Set;
  *IsPinned = FALSE;
  NTSTATUS Status = Net->Functions->pfnAcquireTargetModeSet(Net->Handle, TARGET_ID, &Handle, &Set);
  if (!NT_SUCCESS(Status)) return Status;
  CONST D3DKMDT_VIDPN_TARGET_MODE* Mode = NULL;
  if (NT_SUCCESS(Set->pfnAcquirePinnedModeInfo(Handle, &Mode)) && Mode != NULL) {
    *IsPinned = TRUE;
    Sizes->Add(Mode->VideoSignalInfo.ActiveSize);
    Set->pfnReleaseModeInfo(Handle, Mode);
  }
  Net->Functions->pfnReleaseTargetModeSet(Net->Handle, Handle);
  return STATUS_SUCCESS;
}

// Neither scaling nor rotation.
static NTSTATUS OfferTransformation(_In_ D3DKMDT_HVIDPNTOPOLOGY Handle, _In_ CONST DXGK_VIDPNTOPOLOGY_INTERFACE* Topology,
                                    _In_ CONST D3DKMDT_VIDPN_PRESENT_PATH* Path,
                                    _In_ D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE Pivot) {
  D3DKMDT_VIDPN_PRESENT_PATH Changed = *Path;
  BOOLEAN IsChanged = FALSE;
  if (Pivot != D3DKMDT_EPT_SCALING && Path->ContentTransformation.Scaling == D3DKMDT_VPPS_UNPINNED) {
    RtlZeroMemory(&Changed.ContentTransformation.ScalingSupport, sizeof(Changed.ContentTransformation.ScalingSupport));
    Changed.ContentTransformation.ScalingSupport.Identity = 1;
    IsChanged = TRUE;
  }
  if (Pivot != D3DKMDT_EPT_ROTATION && Path->ContentTransformation.Rotation == D3DKMDT_VPPR_UNPINNED) {
    Changed.ContentTransformation.RotationSupport.Value = 0;
    Changed.ContentTransformation.RotationSupport.Identity = 1;
    Changed.ContentTransformation.RotationSupport.Offset0 = 1;
    IsChanged = TRUE;
  }
  return IsChanged ? Topology->pfnUpdatePathSupportInfo(Handle, &Changed) : STATUS_SUCCESS;
}

// Sizes of what is pinned decide; without a pinned mode every size is left to choose from. The pivot's set stays as it is.
NTSTATUS Adapter::EnumVidPnCofuncModality(_In_ CONST DXGKARG_ENUMVIDPNCOFUNCMODALITY* Modality) {
  PAGED_CODE();
  Network Net = {Modality->hConstrainingVidPn};
  NTSTATUS Status = m_Dxgkrnl.DxgkCbQueryVidPnInterface(Net.Handle, DXGK_VIDPN_INTERFACE_VERSION_V1, &Net.Functions);
  if (!NT_SUCCESS(Status)) return Status;
  D3DKMDT_HVIDPNTOPOLOGY Handle;
  CONST DXGK_VIDPNTOPOLOGY_INTERFACE* Topology;
  Status = Net.Functions->pfnGetTopology(Net.Handle, &Handle, &Topology);
  if (!NT_SUCCESS(Status)) return Status;
  CONST D3DKMDT_VIDPN_PRESENT_PATH* Path = NULL;
  Status = Topology->pfnAcquirePathInfo(Handle, SOURCE_ID, TARGET_ID, &Path);
  if (!NT_SUCCESS(Status) || Path == NULL) return STATUS_SUCCESS;  // Another path, or none.

  MonitorModes Modes;
  m_Monitor.CopyModes(&Modes);
  SizeList Sizes, Pinned;
  Sizes.Count = Pinned.Count = 0;
  BOOLEAN SourcePinned = FALSE, TargetPinned = FALSE;
  for (ULONG i = 0; i < Modes.Count; i++) Sizes.Add(Modes.Sizes[i]);
  Status = ReadPinnedTarget(&Net, &Pinned, &TargetPinned);
  if (NT_SUCCESS(Status)) Status = ReadSourceSizes(&Net, TargetPinned ? &Pinned : &Sizes, &SourcePinned);
  if (SourcePinned && !TargetPinned) {
    Pinned.Count = 0;
    Status = ReadSourceSizes(&Net, &Pinned, &SourcePinned);
  }
  CONST SizeList* Offered = SourcePinned || TargetPinned ? &Pinned : &Sizes;
  if (NT_SUCCESS(Status) && !SourcePinned && Modality->EnumPivotType != D3DKMDT_EPT_VIDPNSOURCE) {
    Status = OfferSourceModes(&Net, Offered, FALSE);
  }
  if (NT_SUCCESS(Status) && !TargetPinned && Modality->EnumPivotType != D3DKMDT_EPT_VIDPNTARGET) {
    Status = OfferTargetModes(&Net, Offered, Modes.RefreshMilliHz, FALSE);
  }
  if (NT_SUCCESS(Status)) Status = OfferTransformation(Handle, Topology, Path, Modality->EnumPivotType);
  Topology->pfnReleasePathInfo(Handle, Path);
  return Status;
}

// Without a VidPN, or without a path, the adapter shows nothing: supported.
NTSTATUS Adapter::IsSupportedVidPn(_Inout_ DXGKARG_ISSUPPORTEDVIDPN* Support) {
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

// The size and the surface come with DxgkDdiSetVidPnSourceAddress; here a mode is checked.
NTSTATUS Adapter::CommitVidPn(_In_ CONST DXGKARG_COMMITVIDPN* Commit) {
  PAGED_CODE();
  if (Commit->AffectedVidPnSourceId != SOURCE_ID && Commit->AffectedVidPnSourceId != D3DDDI_ID_ALL) {
    return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  }
  if (Commit->Flags.PathPoweredOff) return STATUS_SUCCESS;
  CONST DXGK_VIDPN_INTERFACE* VidPn;
  NTSTATUS Status = m_Dxgkrnl.DxgkCbQueryVidPnInterface(Commit->hFunctionalVidPn, DXGK_VIDPN_INTERFACE_VERSION_V1, &VidPn);
  if (!NT_SUCCESS(Status)) return Status;
  D3DKMDT_HVIDPNTOPOLOGY Topology;
  CONST DXGK_VIDPNTOPOLOGY_INTERFACE* Functions;
  Status = VidPn->pfnGetTopology(Commit->hFunctionalVidPn, &Topology, &Functions);
  if (!NT_SUCCESS(Status)) return Status;
  SIZE_T Paths = 0;
  Status = Functions->pfnGetNumPaths(Topology, &Paths);
  if (!NT_SUCCESS(Status) || Paths == 0) return Status;
  D3DKMDT_HVIDPNSOURCEMODESET Handle;
  CONST DXGK_VIDPNSOURCEMODESET_INTERFACE* Set;
  Status = VidPn->pfnAcquireSourceModeSet(Commit->hFunctionalVidPn, SOURCE_ID, &Handle, &Set);
  if (!NT_SUCCESS(Status)) return Status;
  CONST D3DKMDT_VIDPN_SOURCE_MODE* Mode = NULL;
  Status = Set->pfnAcquirePinnedModeInfo(Handle, &Mode);
  if (NT_SUCCESS(Status) && Mode != NULL) {
    if (Mode->Type != D3DKMDT_RMT_GRAPHICS || VirtioFormat(Mode->Format.Graphics.PixelFormat) == 0) {
      Status = STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE_MODE;
    }
    Set->pfnReleaseModeInfo(Handle, Mode);
  }
  VidPn->pfnReleaseSourceModeSet(Commit->hFunctionalVidPn, Handle);
  return NT_SUCCESS(Status) ? STATUS_SUCCESS : Status;
}
