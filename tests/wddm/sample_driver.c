// A miniport written as for the public kit: it includes only the kit's headers, fills the table and registers. It is compiled
// and never run.
#include <d3dkmddi.h>
#include <dispmprt.h>

typedef struct _SAMPLE_ADAPTER {
  DXGKRNL_INTERFACE Dxgkrnl;
  DXGK_DEVICE_INFO DeviceInfo;
  ULONG CompletedFence;
} SAMPLE_ADAPTER;

DRIVER_INITIALIZE DriverEntry;
DXGKDDI_ADD_DEVICE SampleAddDevice;
DXGKDDI_START_DEVICE SampleStartDevice;
DXGKDDI_STOP_DEVICE SampleStopDevice;
DXGKDDI_REMOVE_DEVICE SampleRemoveDevice;
DXGKDDI_INTERRUPT_ROUTINE SampleInterruptRoutine;
DXGKDDI_DPC_ROUTINE SampleDpcRoutine;
DXGKDDI_QUERY_INTERFACE SampleQueryInterface;
DXGKDDI_UNLOAD SampleUnload;
DXGKDDI_QUERYADAPTERINFO SampleQueryAdapterInfo;
DXGKDDI_PRESENT SamplePresent;
DXGKDDI_SUBMITCOMMAND SampleSubmitCommand;
DXGKDDI_SETVIDPNSOURCEADDRESS SampleSetVidPnSourceAddress;
DXGKDDI_CONTROLINTERRUPT2 SampleControlInterrupt2;
DXGKDDI_SETALLOCATIONBACKINGSTORE SampleSetAllocationBackingStore;

static SAMPLE_ADAPTER g_Adapter;

NTSTATUS APIENTRY SampleAddDevice(_In_ CONST PDEVICE_OBJECT PhysicalDeviceObject, _Outptr_ PVOID* MiniportDeviceContext) {
  PAGED_CODE();
  if (PhysicalDeviceObject == NULL) {
    return STATUS_INVALID_PARAMETER;
  }
  *MiniportDeviceContext = &g_Adapter;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY SampleStartDevice(IN_CONST_PVOID MiniportDeviceContext, IN PDXGK_START_INFO DxgkStartInfo,
                                    IN PDXGKRNL_INTERFACE DxgkInterface, OUT PULONG NumberOfVideoPresentSources,
                                    OUT PULONG NumberOfChildren) {
  SAMPLE_ADAPTER* Adapter = (SAMPLE_ADAPTER*)MiniportDeviceContext;
  DXGK_FEATURE_INTERFACE FeatureInterface = {0};
  DxgkStartInfo->RequiredDmaQueueEntry = 4;
  Adapter->Dxgkrnl = *DxgkInterface;
  *NumberOfVideoPresentSources = 1;
  *NumberOfChildren = 1;
  FeatureInterface.Size = sizeof(FeatureInterface);
  FeatureInterface.Version = DXGK_FEATURE_INTERFACE_VERSION_1;
  if (!NT_SUCCESS(Adapter->Dxgkrnl.DxgkCbQueryServices(Adapter->Dxgkrnl.DeviceHandle, DxgkServicesFeature,
                                                       (PINTERFACE)&FeatureInterface))) {
    DXGKARGCB_QUERYFEATURESUPPORT Args = {0};
    Args.DeviceHandle = Adapter->Dxgkrnl.DeviceHandle;
    Args.FeatureId = DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD;
    Args.DriverSupportState = DXGK_FEATURE_SUPPORT_STABLE;
    (void)Adapter->Dxgkrnl.DxgkCbQueryFeatureSupport(&Args);
  }
  return Adapter->Dxgkrnl.DxgkCbGetDeviceInformation(Adapter->Dxgkrnl.DeviceHandle, &Adapter->DeviceInfo);
}

NTSTATUS APIENTRY SampleStopDevice(IN_CONST_PVOID MiniportDeviceContext) {
  UNREFERENCED_PARAMETER(MiniportDeviceContext);
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY SampleRemoveDevice(IN_CONST_PVOID MiniportDeviceContext) {
  UNREFERENCED_PARAMETER(MiniportDeviceContext);
  return STATUS_SUCCESS;
}

BOOLEAN APIENTRY SampleInterruptRoutine(IN_CONST_PVOID MiniportDeviceContext, IN ULONG MessageNumber) {
  SAMPLE_ADAPTER* Adapter = (SAMPLE_ADAPTER*)MiniportDeviceContext;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA Data = {0};
  UNREFERENCED_PARAMETER(MessageNumber);
  Data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  Data.DmaCompleted.SubmissionFenceId = Adapter->CompletedFence;
  Adapter->Dxgkrnl.DxgkCbNotifyInterrupt(Adapter->Dxgkrnl.DeviceHandle, &Data);
  (void)Adapter->Dxgkrnl.DxgkCbQueueDpc(Adapter->Dxgkrnl.DeviceHandle);
  return TRUE;
}

VOID APIENTRY SampleDpcRoutine(IN_CONST_PVOID MiniportDeviceContext) {
  SAMPLE_ADAPTER* Adapter = (SAMPLE_ADAPTER*)MiniportDeviceContext;
  Adapter->Dxgkrnl.DxgkCbNotifyDpc(Adapter->Dxgkrnl.DeviceHandle);
}

NTSTATUS APIENTRY SampleQueryInterface(IN_CONST_PVOID MiniportDeviceContext, IN PQUERY_INTERFACE QueryInterface) {
  UNREFERENCED_PARAMETER(MiniportDeviceContext);
  UNREFERENCED_PARAMETER(QueryInterface);
  return STATUS_NOT_SUPPORTED;
}

VOID APIENTRY SampleUnload(VOID) {}

NTSTATUS APIENTRY SampleQueryAdapterInfo(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO pQueryAdapterInfo) {
  DXGK_DRIVERCAPS* Caps = (DXGK_DRIVERCAPS*)pQueryAdapterInfo->pOutputData;
  UNREFERENCED_PARAMETER(hAdapter);
  if (pQueryAdapterInfo->Type != DXGKQAITYPE_DRIVERCAPS || pQueryAdapterInfo->OutputDataSize < sizeof(*Caps)) {
    return STATUS_NOT_SUPPORTED;
  }
  Caps->WDDMVersion = DXGKDDI_WDDMv3_0;
  Caps->HighestAcceptableAddress.QuadPart = -1;
  Caps->FlipCaps.FlipOnVSyncMmIo = 1;
  Caps->FlipCaps.FlipIndependent = 1;
  Caps->MemoryManagementCaps.CrossAdapterResource = 1;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY SamplePresent(IN_CONST_HANDLE hContext, INOUT_PDXGKARG_PRESENT pPresent) {
  HANDLE Source = pPresent->pAllocationList[DXGK_PRESENT_SOURCE_INDEX].hDeviceSpecificAllocation;
  UNREFERENCED_PARAMETER(hContext);
  if (pPresent->Flags.Blt && Source == NULL) {
    return STATUS_INVALID_HANDLE;
  }
  return pPresent->DmaSize < 64 ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : STATUS_SUCCESS;
}

NTSTATUS APIENTRY SampleSubmitCommand(_In_ CONST HANDLE hAdapter, _In_ CONST DXGKARG_SUBMITCOMMAND* pSubmitCommand) {
  ((SAMPLE_ADAPTER*)hAdapter)->CompletedFence = pSubmitCommand->SubmissionFenceId;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY SampleSetVidPnSourceAddress(_In_ CONST HANDLE hAdapter,
                                              _In_ CONST DXGKARG_SETVIDPNSOURCEADDRESS* pSetVidPnSourceAddress) {
  UNREFERENCED_PARAMETER(hAdapter);
  return pSetVidPnSourceAddress->VidPnSourceId == 0 ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

NTSTATUS APIENTRY SampleControlInterrupt2(IN_CONST_HANDLE hAdapter, IN_CONST_DXGKARG_CONTROLINTERRUPT2 InterruptControl) {
  UNREFERENCED_PARAMETER(hAdapter);
  return InterruptControl.InterruptType == DXGK_INTERRUPT_CRTC_VSYNC ? STATUS_SUCCESS : STATUS_NOT_IMPLEMENTED;
}

NTSTATUS APIENTRY SampleSetAllocationBackingStore(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_SETALLOCATIONBACKINGSTORE pArgs) {
  UNREFERENCED_PARAMETER(hAdapter);
  return pArgs->pBackingStore != NULL ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

NTSTATUS DriverEntry(IN PDRIVER_OBJECT DriverObject, IN PUNICODE_STRING RegistryPath) {
  DRIVER_INITIALIZATION_DATA InitialData = {0};
  InitialData.Version = DXGKDDI_INTERFACE_VERSION;
  InitialData.DxgkDdiAddDevice = SampleAddDevice;
  InitialData.DxgkDdiStartDevice = SampleStartDevice;
  InitialData.DxgkDdiStopDevice = SampleStopDevice;
  InitialData.DxgkDdiRemoveDevice = SampleRemoveDevice;
  InitialData.DxgkDdiInterruptRoutine = SampleInterruptRoutine;
  InitialData.DxgkDdiDpcRoutine = SampleDpcRoutine;
  InitialData.DxgkDdiQueryInterface = SampleQueryInterface;
  InitialData.DxgkDdiUnload = SampleUnload;
  InitialData.DxgkDdiQueryAdapterInfo = SampleQueryAdapterInfo;
  InitialData.DxgkDdiPresent = SamplePresent;
  InitialData.DxgkDdiSubmitCommand = SampleSubmitCommand;
  InitialData.DxgkDdiSetVidPnSourceAddress = SampleSetVidPnSourceAddress;
  InitialData.DxgkDdiControlInterrupt2 = SampleControlInterrupt2;
  InitialData.DxgkDdiSetAllocationBackingStore = SampleSetAllocationBackingStore;
  return DxgkInitialize(DriverObject, RegistryPath, &InitialData);
}
