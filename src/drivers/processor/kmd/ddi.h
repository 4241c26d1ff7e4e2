// The DDIs of an adapter whose engines are the processor. Each keeps the IRQL and level that d3dkmddi.h states; grouped as the
// files that hold them.
#pragma once

#include <memory>

#include "base/result.h"

#include <dispmprt.h>

namespace tandem::processor {

class Device;

// All DDIs but DxgkDdiAddDevice, which is the driver's own.
[[nodiscard]] DRIVER_INITIALIZATION_DATA ProcessorDriverTable();

// ddi_adapter.cpp
// DxgkDdiAddDevice of a driver whose device `create` makes; its error is logged.
[[nodiscard]] NTSTATUS AddDevice(PDEVICE_OBJECT physical_device, PVOID* miniport_context,
                                 Result<std::unique_ptr<Device>> (*create)(DEVICE_OBJECT&));
DXGKDDI_START_DEVICE ProcessorStartDevice;
DXGKDDI_STOP_DEVICE ProcessorStopDevice;
DXGKDDI_REMOVE_DEVICE ProcessorRemoveDevice;
DXGKDDI_RESET_DEVICE ProcessorResetDevice;
DXGKDDI_UNLOAD ProcessorUnload;
DXGKDDI_DISPATCH_IO_REQUEST ProcessorDispatchIoRequest;
DXGKDDI_INTERRUPT_ROUTINE ProcessorInterruptRoutine;
DXGKDDI_DPC_ROUTINE ProcessorDpcRoutine;
DXGKDDI_QUERY_CHILD_RELATIONS ProcessorQueryChildRelations;
DXGKDDI_QUERY_CHILD_STATUS ProcessorQueryChildStatus;
DXGKDDI_QUERY_DEVICE_DESCRIPTOR ProcessorQueryDeviceDescriptor;
DXGKDDI_SET_POWER_STATE ProcessorSetPowerState;
DXGKDDI_NOTIFY_ACPI_EVENT ProcessorNotifyAcpiEvent;
DXGKDDI_CONTROL_ETW_LOGGING ProcessorControlEtwLogging;

// feature_query.cpp
DXGKDDI_QUERY_INTERFACE ProcessorQueryInterface;

// ddi_caps.cpp
DXGKDDI_QUERYADAPTERINFO ProcessorQueryAdapterInfo;
DXGKDDI_GETNODEMETADATA ProcessorGetNodeMetadata;

// ddi_allocation.cpp
DXGKDDI_CREATEDEVICE ProcessorCreateDevice;
DXGKDDI_DESTROYDEVICE ProcessorDestroyDevice;
DXGKDDI_CREATECONTEXT ProcessorCreateContext;
DXGKDDI_DESTROYCONTEXT ProcessorDestroyContext;
DXGKDDI_CREATEALLOCATION ProcessorCreateAllocation;
DXGKDDI_DESTROYALLOCATION ProcessorDestroyAllocation;
DXGKDDI_DESCRIBEALLOCATION ProcessorDescribeAllocation;
DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA ProcessorGetStandardAllocationDriverData;
DXGKDDI_OPENALLOCATIONINFO ProcessorOpenAllocation;
DXGKDDI_CLOSEALLOCATION ProcessorCloseAllocation;
DXGKDDI_SETALLOCATIONBACKINGSTORE ProcessorSetAllocationBackingStore;

// ddi_present.cpp, ddi_render.cpp
DXGKDDI_PRESENT ProcessorPresent;
DXGKDDI_RENDER ProcessorRender;

// ddi_paging.cpp
DXGKDDI_BUILDPAGINGBUFFER ProcessorBuildPagingBuffer;

// ddi_submit.cpp
DXGKDDI_PATCH ProcessorPatch;
DXGKDDI_SUBMITCOMMAND ProcessorSubmitCommand;
DXGKDDI_PREEMPTCOMMAND ProcessorPreemptCommand;
DXGKDDI_CANCELCOMMAND ProcessorCancelCommand;
DXGKDDI_QUERYCURRENTFENCE ProcessorQueryCurrentFence;
DXGKDDI_RESETFROMTIMEOUT ProcessorResetFromTimeout;
DXGKDDI_RESTARTFROMTIMEOUT ProcessorRestartFromTimeout;
DXGKDDI_QUERYDEPENDENTENGINEGROUP ProcessorQueryDependentEngineGroup;
DXGKDDI_QUERYENGINESTATUS ProcessorQueryEngineStatus;
DXGKDDI_RESETENGINE ProcessorResetEngine;
DXGKDDI_COLLECTDBGINFO ProcessorCollectDbgInfo;

// ddi_escape.cpp
DXGKDDI_ESCAPE ProcessorEscape;

// ddi_display.cpp
DXGKDDI_SETVIDPNSOURCEADDRESS ProcessorSetVidPnSourceAddress;
DXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 ProcessorSetVidPnSourceAddressWithMultiPlaneOverlay3;
DXGKDDI_SETVIDPNSOURCEVISIBILITY ProcessorSetVidPnSourceVisibility;
DXGKDDI_GETSCANLINE ProcessorGetScanLine;
DXGKDDI_CONTROLINTERRUPT ProcessorControlInterrupt;
DXGKDDI_CONTROLINTERRUPT3 ProcessorControlInterrupt3;
DXGKDDI_SETPALETTE ProcessorSetPalette;
DXGKDDI_RECOMMENDMONITORMODES ProcessorRecommendMonitorModes;
DXGKDDI_SYSTEM_DISPLAY_ENABLE ProcessorSystemDisplayEnable;
DXGKDDI_SYSTEM_DISPLAY_WRITE ProcessorSystemDisplayWrite;
DXGKDDI_SETPOINTERPOSITION ProcessorSetPointerPosition;
DXGKDDI_SETPOINTERSHAPE ProcessorSetPointerShape;
DXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT3 ProcessorCheckMultiPlaneOverlaySupport3;

// ddi_vidpn.cpp
DXGKDDI_COMMITVIDPN ProcessorCommitVidPn;
DXGKDDI_UPDATEACTIVEVIDPNPRESENTPATH ProcessorUpdateActiveVidPnPresentPath;
DXGKDDI_ISSUPPORTEDVIDPN ProcessorIsSupportedVidPn;
DXGKDDI_RECOMMENDFUNCTIONALVIDPN ProcessorRecommendFunctionalVidPn;
DXGKDDI_ENUMVIDPNCOFUNCMODALITY ProcessorEnumVidPnCofuncModality;

}  // namespace tandem::processor
