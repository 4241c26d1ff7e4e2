// DriverEntry: the table of DDIs.
#include "drivers/soft/kmd/ddi.h"
#include "drivers/soft/soft_device.h"

namespace tandem::soft {
namespace {

void FillAdapter(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiAddDevice = SoftAddDevice;
  table.DxgkDdiStartDevice = SoftStartDevice;
  table.DxgkDdiStopDevice = SoftStopDevice;
  table.DxgkDdiRemoveDevice = SoftRemoveDevice;
  table.DxgkDdiDispatchIoRequest = SoftDispatchIoRequest;
  table.DxgkDdiInterruptRoutine = SoftInterruptRoutine;
  table.DxgkDdiDpcRoutine = SoftDpcRoutine;
  table.DxgkDdiQueryChildRelations = SoftQueryChildRelations;
  table.DxgkDdiQueryChildStatus = SoftQueryChildStatus;
  table.DxgkDdiQueryDeviceDescriptor = SoftQueryDeviceDescriptor;
  table.DxgkDdiSetPowerState = SoftSetPowerState;
  table.DxgkDdiNotifyAcpiEvent = SoftNotifyAcpiEvent;
  table.DxgkDdiResetDevice = SoftResetDevice;
  table.DxgkDdiUnload = SoftUnload;
  table.DxgkDdiQueryInterface = SoftQueryInterface;
  table.DxgkDdiControlEtwLogging = SoftControlEtwLogging;
  table.DxgkDdiQueryAdapterInfo = SoftQueryAdapterInfo;
  table.DxgkDdiGetNodeMetadata = SoftGetNodeMetadata;
}

void FillMemoryAndSubmission(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiCreateDevice = SoftCreateDevice;
  table.DxgkDdiDestroyDevice = SoftDestroyDevice;
  table.DxgkDdiCreateContext = SoftCreateContext;
  table.DxgkDdiDestroyContext = SoftDestroyContext;
  table.DxgkDdiCreateAllocation = SoftCreateAllocation;
  table.DxgkDdiDestroyAllocation = SoftDestroyAllocation;
  table.DxgkDdiDescribeAllocation = SoftDescribeAllocation;
  table.DxgkDdiGetStandardAllocationDriverData = SoftGetStandardAllocationDriverData;
  table.DxgkDdiOpenAllocation = SoftOpenAllocation;
  table.DxgkDdiCloseAllocation = SoftCloseAllocation;
  table.DxgkDdiSetAllocationBackingStore = SoftSetAllocationBackingStore;
  table.DxgkDdiPresent = SoftPresent;
  table.DxgkDdiRender = SoftRender;
  table.DxgkDdiBuildPagingBuffer = SoftBuildPagingBuffer;
  table.DxgkDdiPatch = SoftPatch;
  table.DxgkDdiSubmitCommand = SoftSubmitCommand;
  table.DxgkDdiPreemptCommand = SoftPreemptCommand;
  table.DxgkDdiCancelCommand = SoftCancelCommand;
  table.DxgkDdiQueryCurrentFence = SoftQueryCurrentFence;
  table.DxgkDdiResetFromTimeout = SoftResetFromTimeout;
  table.DxgkDdiRestartFromTimeout = SoftRestartFromTimeout;
  table.DxgkDdiQueryDependentEngineGroup = SoftQueryDependentEngineGroup;
  table.DxgkDdiQueryEngineStatus = SoftQueryEngineStatus;
  table.DxgkDdiResetEngine = SoftResetEngine;
  table.DxgkDdiEscape = SoftEscape;
  table.DxgkDdiCollectDbgInfo = SoftCollectDbgInfo;
}

void FillDisplay(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiSetVidPnSourceAddress = SoftSetVidPnSourceAddress;
  table.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3 = SoftSetVidPnSourceAddressWithMultiPlaneOverlay3;
  table.DxgkDdiSetVidPnSourceVisibility = SoftSetVidPnSourceVisibility;
  table.DxgkDdiCommitVidPn = SoftCommitVidPn;
  table.DxgkDdiUpdateActiveVidPnPresentPath = SoftUpdateActiveVidPnPresentPath;
  table.DxgkDdiIsSupportedVidPn = SoftIsSupportedVidPn;
  table.DxgkDdiRecommendFunctionalVidPn = SoftRecommendFunctionalVidPn;
  table.DxgkDdiEnumVidPnCofuncModality = SoftEnumVidPnCofuncModality;
  table.DxgkDdiGetScanLine = SoftGetScanLine;
  table.DxgkDdiControlInterrupt = SoftControlInterrupt;
  table.DxgkDdiControlInterrupt3 = SoftControlInterrupt3;
  table.DxgkDdiSetPalette = SoftSetPalette;
  table.DxgkDdiSetPointerPosition = SoftSetPointerPosition;
  table.DxgkDdiSetPointerShape = SoftSetPointerShape;
  table.DxgkDdiCheckMultiPlaneOverlaySupport3 = SoftCheckMultiPlaneOverlaySupport3;
}

}  // namespace

DRIVER_INITIALIZATION_DATA SoftDriverTable() {
  DRIVER_INITIALIZATION_DATA table{};
  table.Version = DXGKDDI_INTERFACE_VERSION_WDDM3_0;
  FillAdapter(table);
  FillMemoryAndSubmission(table);
  FillDisplay(table);
  return table;
}

extern "C" NTSTATUS SoftDriverEntry(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path) {
  DRIVER_INITIALIZATION_DATA table = SoftDriverTable();
  return DxgkInitialize(driver, registry_path, &table);
}

}  // namespace tandem::soft
