// Drivers that answer wrongly about their targets, or take the wrong one for the primary one.
#include "tests/conformance/broken_drivers.h"

namespace tandem::conform {
namespace {

NTSTATUS SayNothingIsConnected(const PVOID context, PDXGK_CHILD_STATUS status, BOOLEAN non_destructive) {
  const NTSTATUS answer = SoundTable().DxgkDdiQueryChildStatus(context, status, non_destructive);
  if (status->Type == StatusConnection) status->HotPlug.Connected = FALSE;
  return answer;
}

NTSTATUS LeaveOtherTypesUnanswered(const PVOID context, PDXGK_CHILD_STATUS status, BOOLEAN non_destructive) {
  if (status->Type != StatusConnection) return STATUS_SUCCESS;
  return SoundTable().DxgkDdiQueryChildStatus(context, status, non_destructive);
}

DXGKRNL_INTERFACE kernel_functions;

NTSTATUS KeepTheFunctions(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE kernel, PULONG sources,
                          PULONG children) {
  kernel_functions = *kernel;
  return SoundTable().DxgkDdiStartDevice(context, info, kernel, sources, children);
}

// The path that is listed first becomes the primary one.
NTSTATUS CommitByPlace(HANDLE adapter, const DXGKARG_COMMITVIDPN* args) {
  const DXGK_VIDPN_INTERFACE* vidpn = nullptr;
  const DXGK_VIDPNTOPOLOGY_INTERFACE* functions = nullptr;
  D3DKMDT_HVIDPNTOPOLOGY topology = nullptr;
  kernel_functions.DxgkCbQueryVidPnInterface(args->hFunctionalVidPn, DXGK_VIDPN_INTERFACE_VERSION_V1, &vidpn);
  vidpn->pfnGetTopology(args->hFunctionalVidPn, &topology, &functions);
  const D3DKMDT_VIDPN_PRESENT_PATH* path = nullptr;
  D3DKMDT_VIDPN_PRESENT_PATH_IMPORTANCE importance = D3DKMDT_VPPI_PRIMARY;
  for (NTSTATUS status = functions->pfnAcquireFirstPathInfo(topology, &path); status == STATUS_SUCCESS;) {
    const_cast<D3DKMDT_VIDPN_PRESENT_PATH*>(path)->ImportanceOrdinal = importance;
    importance = D3DKMDT_VPPI_SECONDARY;
    const D3DKMDT_VIDPN_PRESENT_PATH* next = nullptr;
    status = functions->pfnAcquireNextPathInfo(topology, path, &next);
    functions->pfnReleasePathInfo(topology, path);
    path = next;
  }
  return SoundTable().DxgkDdiCommitVidPn(adapter, args);
}

}  // namespace

std::vector<BrokenDriver> DriversWithWrongTargets() {
  using Table = DRIVER_INITIALIZATION_DATA;
  return {
      {"SaysNothingIsConnected", "Target.Connected", [](Table& table) { table.DxgkDdiQueryChildStatus = &SayNothingIsConnected; },
       "says that it is not connected"},
      {"LeavesOtherTypesUnanswered", "Target.StatusType",
       [](Table& table) { table.DxgkDdiQueryChildStatus = &LeaveOtherTypesUnanswered; }, "nothing was written"},
      {"CommitsByPlace", "Target.Primary",
       [](Table& table) {
         table.DxgkDdiStartDevice = &KeepTheFunctions;
         table.DxgkDdiCommitVidPn = &CommitByPlace;
       },
       "to the primary target"},
  };
}

}  // namespace tandem::conform
