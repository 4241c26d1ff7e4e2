// The table of DDIs.
#include "drivers/processor/kmd/ddi.h"

namespace tandem::processor {
namespace {

void FillAdapter(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiStartDevice = ProcessorStartDevice;
  table.DxgkDdiStopDevice = ProcessorStopDevice;
  table.DxgkDdiRemoveDevice = ProcessorRemoveDevice;
  table.DxgkDdiDispatchIoRequest = ProcessorDispatchIoRequest;
  table.DxgkDdiInterruptRoutine = ProcessorInterruptRoutine;
  table.DxgkDdiDpcRoutine = ProcessorDpcRoutine;
  table.DxgkDdiQueryChildRelations = ProcessorQueryChildRelations;
  table.DxgkDdiQueryChildStatus = ProcessorQueryChildStatus;
  table.DxgkDdiQueryDeviceDescriptor = ProcessorQueryDeviceDescriptor;
  table.DxgkDdiSetPowerState = ProcessorSetPowerState;
  table.DxgkDdiNotifyAcpiEvent = ProcessorNotifyAcpiEvent;
  table.DxgkDdiResetDevice = ProcessorResetDevice;
  table.DxgkDdiUnload = ProcessorUnload;
  table.DxgkDdiQueryInterface = ProcessorQueryInterface;
  table.DxgkDdiControlEtwLogging = ProcessorControlEtwLogging;
  table.DxgkDdiQueryAdapterInfo = ProcessorQueryAdapterInfo;
  table.DxgkDdiGetNodeMetadata = ProcessorGetNodeMetadata;
}

void FillMemoryAndSubmission(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiCreateDevice = ProcessorCreateDevice;
  table.DxgkDdiDestroyDevice = ProcessorDestroyDevice;
  table.DxgkDdiCreateContext = ProcessorCreateContext;
  table.DxgkDdiDestroyContext = ProcessorDestroyContext;
  table.DxgkDdiCreateAllocation = ProcessorCreateAllocation;
  table.DxgkDdiDestroyAllocation = ProcessorDestroyAllocation;
  table.DxgkDdiDescribeAllocation = ProcessorDescribeAllocation;
  table.DxgkDdiGetStandardAllocationDriverData = ProcessorGetStandardAllocationDriverData;
  table.DxgkDdiOpenAllocation = ProcessorOpenAllocation;
  table.DxgkDdiCloseAllocation = ProcessorCloseAllocation;
  table.DxgkDdiSetAllocationBackingStore = ProcessorSetAllocationBackingStore;
  table.DxgkDdiPresent = ProcessorPresent;
  table.DxgkDdiRender = ProcessorRender;
  table.DxgkDdiBuildPagingBuffer = ProcessorBuildPagingBuffer;
  table.DxgkDdiPatch = ProcessorPatch;
  table.DxgkDdiSubmitCommand = ProcessorSubmitCommand;
  table.DxgkDdiPreemptCommand = ProcessorPreemptCommand;
  table.DxgkDdiCancelCommand = ProcessorCancelCommand;
  table.DxgkDdiQueryCurrentFence = ProcessorQueryCurrentFence;
  table.DxgkDdiResetFromTimeout = ProcessorResetFromTimeout;
  table.DxgkDdiRestartFromTimeout = ProcessorRestartFromTimeout;
  table.DxgkDdiQueryDependentEngineGroup = ProcessorQueryDependentEngineGroup;
  table.DxgkDdiQueryEngineStatus = ProcessorQueryEngineStatus;
  table.DxgkDdiResetEngine = ProcessorResetEngine;
  table.DxgkDdiEscape = ProcessorEscape;
  table.DxgkDdiCollectDbgInfo = ProcessorCollectDbgInfo;
}

void FillDisplay(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiSetVidPnSourceAddress = ProcessorSetVidPnSourceAddress;
  table.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3 = ProcessorSetVidPnSourceAddressWithMultiPlaneOverlay3;
  table.DxgkDdiSetVidPnSourceVisibility = ProcessorSetVidPnSourceVisibility;
  table.DxgkDdiCommitVidPn = ProcessorCommitVidPn;
  table.DxgkDdiUpdateActiveVidPnPresentPath = ProcessorUpdateActiveVidPnPresentPath;
  table.DxgkDdiIsSupportedVidPn = ProcessorIsSupportedVidPn;
  table.DxgkDdiRecommendFunctionalVidPn = ProcessorRecommendFunctionalVidPn;
  table.DxgkDdiEnumVidPnCofuncModality = ProcessorEnumVidPnCofuncModality;
  table.DxgkDdiRecommendMonitorModes = ProcessorRecommendMonitorModes;
  table.DxgkDdiSystemDisplayEnable = ProcessorSystemDisplayEnable;
  table.DxgkDdiSystemDisplayWrite = ProcessorSystemDisplayWrite;
  table.DxgkDdiGetScanLine = ProcessorGetScanLine;
  table.DxgkDdiControlInterrupt = ProcessorControlInterrupt;
  table.DxgkDdiControlInterrupt3 = ProcessorControlInterrupt3;
  table.DxgkDdiSetPalette = ProcessorSetPalette;
  table.DxgkDdiSetPointerPosition = ProcessorSetPointerPosition;
  table.DxgkDdiSetPointerShape = ProcessorSetPointerShape;
  table.DxgkDdiCheckMultiPlaneOverlaySupport3 = ProcessorCheckMultiPlaneOverlaySupport3;
}

}  // namespace

DRIVER_INITIALIZATION_DATA ProcessorDriverTable() {
  DRIVER_INITIALIZATION_DATA table{};
  table.Version = DXGKDDI_INTERFACE_VERSION_WDDM3_0;
  FillAdapter(table);
  FillMemoryAndSubmission(table);
  FillDisplay(table);
  return table;
}

}  // namespace tandem::processor
