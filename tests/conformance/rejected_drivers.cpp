// Drivers that the kernel of Windows rejects, and so does ours; docs/rejections.md names the evidence.
#include "tests/conformance/broken_drivers.h"

namespace tandem::conform {
namespace {

using Table = DRIVER_INITIALIZATION_DATA;

DXGKRNL_INTERFACE kernel_functions;

NTSTATUS KeepTheFunctions(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE kernel, PULONG sources,
                          PULONG children) {
  kernel_functions = *kernel;
  return SoundTable().DxgkDdiStartDevice(context, info, kernel, sources, children);
}

template <void (*change)(DXGK_DRIVERCAPS&)>
NTSTATUS QueryInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) {
  const NTSTATUS status = SoundTable().DxgkDdiQueryAdapterInfo(adapter, query);
  if (query->Type == DXGKQAITYPE_DRIVERCAPS && NT_SUCCESS(status)) change(*static_cast<DXGK_DRIVERCAPS*>(query->pOutputData));
  return status;
}
template <void (*change)(DXGK_DRIVERCAPS&)>
void Declare(Table& table) {
  table.DxgkDdiQueryAdapterInfo = &QueryInfo<change>;
}

void PreemptionAlone(DXGK_DRIVERCAPS& caps) { caps.SchedulingCaps.MultiEngineAware = 0; }
void CancellationAlone(DXGK_DRIVERCAPS& caps) { caps.SchedulingCaps.MultiEngineAware = caps.SchedulingCaps.PreemptionAware = 0; }
void VSyncControl(DXGK_DRIVERCAPS& caps) { caps.MiscCaps.IndependentVidPnVSyncControl = 1; }

// As many bytes as a later version of the structure has.
NTSTATUS WantMoreCaps(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) {
  const bool small = query->Type == DXGKQAITYPE_DRIVERCAPS && query->OutputDataSize <= sizeof(DXGK_DRIVERCAPS);
  return small ? STATUS_BUFFER_TOO_SMALL : SoundTable().DxgkDdiQueryAdapterInfo(adapter, query);
}

NTSTATUS ConnectAnInternalPanel(const PVOID context, PDXGK_CHILD_DESCRIPTOR children, ULONG size) {
  const NTSTATUS status = SoundTable().DxgkDdiQueryChildRelations(context, children, size);
  if (size < 2 * sizeof(*children)) return status;
  children[0].ChildCapabilities.Type.VideoOutput.InterfaceTechnology = D3DKMDT_VOT_INTERNAL;
  children[0].ChildCapabilities.HpdAwareness = HpdAwarenessAlwaysConnected;
  return status;
}

NTSTATUS FailToAllocate(HANDLE, DXGKARG_CREATEALLOCATION*) { return STATUS_UNSUCCESSFUL; }

// The kernel's own target mode leaves the frequencies open; the driver adds one like it.
NTSTATUS LeaveFrequenciesOpen(HANDLE adapter, const DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
  const D3DKMDT_HVIDPN vidpn = args->hConstrainingVidPn;
  const DXGK_VIDPN_INTERFACE* functions = nullptr;
  kernel_functions.DxgkCbQueryVidPnInterface(vidpn, DXGK_VIDPN_INTERFACE_VERSION_V1, &functions);
  D3DKMDT_HVIDPNTARGETMODESET set = nullptr;
  const DXGK_VIDPNTARGETMODESET_INTERFACE* modes = nullptr;
  D3DKMDT_VIDPN_TARGET_MODE* mode = nullptr;
  if (!NT_SUCCESS(functions->pfnCreateNewTargetModeSet(vidpn, 0, &set, &modes))) return STATUS_NO_MEMORY;
  if (NT_SUCCESS(modes->pfnCreateNewModeInfo(set, &mode))) {
    D3DKMDT_VIDEO_SIGNAL_INFO& signal = mode->VideoSignalInfo;
    signal.TotalSize = signal.ActiveSize = {64, 64};
    signal.VSyncFreq = signal.HSyncFreq = {D3DKMDT_FREQUENCY_NOTSPECIFIED, D3DKMDT_FREQUENCY_NOTSPECIFIED};
    signal.PixelRate = D3DKMDT_FREQUENCY_NOTSPECIFIED;
    if (!NT_SUCCESS(modes->pfnAddMode(set, mode))) modes->pfnReleaseModeInfo(set, mode);
  }
  functions->pfnReleaseTargetModeSet(vidpn, set);
  return SoundTable().DxgkDdiEnumVidPnCofuncModality(adapter, args);
}

NTSTATUS LeaveTheOffsetOut(HANDLE adapter, const DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
  const NTSTATUS status = SoundTable().DxgkDdiEnumVidPnCofuncModality(adapter, args);
  const DXGK_VIDPN_INTERFACE* functions = nullptr;
  kernel_functions.DxgkCbQueryVidPnInterface(args->hConstrainingVidPn, DXGK_VIDPN_INTERFACE_VERSION_V1, &functions);
  D3DKMDT_HVIDPNTOPOLOGY topology = nullptr;
  const DXGK_VIDPNTOPOLOGY_INTERFACE* paths = nullptr;
  functions->pfnGetTopology(args->hConstrainingVidPn, &topology, &paths);
  const D3DKMDT_VIDPN_PRESENT_PATH* path = nullptr;
  if (paths->pfnAcquireFirstPathInfo(topology, &path) != STATUS_SUCCESS) return status;
  D3DKMDT_VIDPN_PRESENT_PATH changed = *path;
  changed.ContentTransformation.RotationSupport.Offset0 = 0;
  paths->pfnUpdatePathSupportInfo(topology, &changed);
  paths->pfnReleasePathInfo(topology, path);
  return status;
}

template <NTSTATUS (*kEnumerate)(HANDLE, const DXGKARG_ENUMVIDPNCOFUNCMODALITY*)>
void Enumerate(Table& table) {
  table.DxgkDdiStartDevice = &KeepTheFunctions;
  table.DxgkDdiEnumVidPnCofuncModality = kEnumerate;
}

}  // namespace

std::vector<BrokenDriver> DriversThatWindowsRejects() {
  constexpr char kRule[] = "VidPn.Pinned";  // it shows pictures
  return {
      {"PreemptsWithoutContexts", kRule, &Declare<&PreemptionAlone>, "PreemptionNeedsContexts: ", SeenBy::kKernel},
      {"CancelsWithoutContexts", kRule, &Declare<&CancellationAlone>, "CancelNeedsContexts: ", SeenBy::kKernel},
      {"ControlsVSyncsWithoutItsDdi", kRule,
       [](Table& table) {
         Declare<&VSyncControl>(table);
         table.DxgkDdiControlInterrupt3 = nullptr;
       },
       "IndependentVSyncControl: ", SeenBy::kKernel},
      {"LacksThePlanesDdi", kRule, [](Table& table) { table.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3 = nullptr; },
       "OverlayDdis: ", SeenBy::kKernel},
      {"WantsMoreCaps", kRule, [](Table& table) { table.DxgkDdiQueryAdapterInfo = &WantMoreCaps; },
       "DriverCapsSize: ", SeenBy::kKernel},
      {"ConnectsAnInternalPanel", kRule, [](Table& table) { table.DxgkDdiQueryChildRelations = &ConnectAnInternalPanel; },
       "InternalChildConnected: ", SeenBy::kKernel},
      {"FailsToAllocate", kRule, [](Table& table) { table.DxgkDdiCreateAllocation = &FailToAllocate; },
       "CreateAllocation.Status: ", SeenBy::kKernel},
      {"LeavesFrequenciesOpen", kRule, &Enumerate<&LeaveFrequenciesOpen>, "VidPn.FrequencyIsSpecified", SeenBy::kKernel},
      {"LeavesTheOffsetOut", kRule, &Enumerate<&LeaveTheOffsetOut>, "VidPn.OffsetOfPrimaryPath", SeenBy::kKernel},
  };
}

}  // namespace tandem::conform
