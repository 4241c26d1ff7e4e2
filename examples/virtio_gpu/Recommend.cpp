// What the driver recommends: the modes of its monitor, and a network with its one path in the mode that the monitor prefers.
#include "Adapter.h"
#include "VidPnModes.h"

#include "Recommend.tmh"

NTSTATUS Adapter::RecommendMonitorModes(_In_ CONST DXGKARG_RECOMMENDMONITORMODES* Recommend) {
  PAGED_CODE();
  MonitorModes Modes;
  m_Monitor.CopyModes(&Modes);
  CONST DXGK_MONITORSOURCEMODESET_INTERFACE* Set = Recommend->pMonitorSourceModeSetInterface;
  for (ULONG i = 0; i < Modes.Count; i++) {
    D3DKMDT_MONITOR_SOURCE_MODE* Mode = NULL;
    NTSTATUS Status = Set->pfnCreateNewModeInfo(Recommend->hMonitorSourceModeSet, &Mode);
    if (!NT_SUCCESS(Status)) return Status;
    DescribeSignal(Modes.Sizes[i], Modes.RefreshMilliHz, &Mode->VideoSignalInfo);
    Mode->ColorBasis = D3DKMDT_CB_SRGB;
    Mode->ColorCoeffDynamicRanges.FirstChannel = 8;
    Mode->ColorCoeffDynamicRanges.SecondChannel = 8;
    Mode->ColorCoeffDynamicRanges.ThirdChannel = 8;
    Mode->ColorCoeffDynamicRanges.FourthChannel = 8;
    Mode->Origin = D3DKMDT_MCO_DRIVER;
    Mode->Preference = i == 0 ? D3DKMDT_MP_PREFERRED : D3DKMDT_MP_NOTPREFERRED;
    Status = Set->pfnAddMode(Recommend->hMonitorSourceModeSet, Mode);
    if (!NT_SUCCESS(Status)) Set->pfnReleaseModeInfo(Recommend->hMonitorSourceModeSet, Mode);
    if (!NT_SUCCESS(Status) && Status != STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET) return Status;
  }
  return STATUS_SUCCESS;
}

static NTSTATUS AddPath(_In_ CONST Network* Net) {
  D3DKMDT_HVIDPNTOPOLOGY Handle;
  CONST DXGK_VIDPNTOPOLOGY_INTERFACE* Topology;
  NTSTATUS Status = Net->Functions->pfnGetTopology(Net->Handle, &Handle, &Topology);
  if (!NT_SUCCESS(Status)) return Status;
  D3DKMDT_VIDPN_PRESENT_PATH* Path = NULL;
  Status = Topology->pfnCreateNewPathInfo(Handle, &Path);
  if (!NT_SUCCESS(Status)) return Status;
  Path->VidPnSourceId = SOURCE_ID;
  Path->VidPnTargetId = TARGET_ID;
  Path->ImportanceOrdinal = D3DKMDT_VPPI_PRIMARY;
  Path->ContentTransformation.Scaling = D3DKMDT_VPPS_IDENTITY;
  Path->ContentTransformation.ScalingSupport.Identity = 1;
  Path->ContentTransformation.Rotation = D3DKMDT_VPPR_IDENTITY;
  Path->ContentTransformation.RotationSupport.Identity = 1;
  Path->ContentTransformation.RotationSupport.Offset0 = 1;
  Path->VidPnTargetColorBasis = D3DKMDT_CB_SRGB;
  Path->Content = D3DKMDT_VPPC_GRAPHICS;
  Path->CopyProtection.CopyProtectionType = D3DKMDT_VPPMT_NOPROTECTION;
  Path->GammaRamp.Type = D3DDDI_GAMMARAMP_DEFAULT;
  Status = Topology->pfnAddPath(Handle, Path);
  if (!NT_SUCCESS(Status)) Topology->pfnReleasePathInfo(Handle, Path);
  return Status;
}

NTSTATUS Adapter::RecommendFunctionalVidPn(_In_ CONST DXGKARG_RECOMMENDFUNCTIONALVIDPN* Recommend) {
  PAGED_CODE();
  if (Recommend->NumberOfVidPnTargets == 0) return STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;  // No monitor.
  MonitorModes Modes;
  m_Monitor.CopyModes(&Modes);
  SizeList Preferred;
  Preferred.Count = 0;
  for (ULONG i = 0; i < Modes.Count && Preferred.Count == 0; i++) Preferred.Add(Modes.Sizes[i]);
  if (Preferred.Count == 0) return STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;
  Network Net = {Recommend->hRecommendedFunctionalVidPn};
  NTSTATUS Status = m_Dxgkrnl.DxgkCbQueryVidPnInterface(Net.Handle, DXGK_VIDPN_INTERFACE_VERSION_V1, &Net.Functions);
  if (NT_SUCCESS(Status)) Status = AddPath(&Net);
#ifdef RECOMMEND_UNPINNED  // A network that is not functional.
  return Status;
#else
  if (NT_SUCCESS(Status)) Status = OfferSourceModes(&Net, &Preferred, TRUE);
  if (NT_SUCCESS(Status)) Status = OfferTargetModes(&Net, &Preferred, Modes.RefreshMilliHz, TRUE);
  return Status;
#endif
}
