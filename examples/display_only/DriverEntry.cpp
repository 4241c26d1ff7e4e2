// The table of DDIs. Each function here passes the call on to the device.
#include "Device.h"

#include "DriverEntry.tmh"

static Device* DeviceOf(PVOID Context) { return reinterpret_cast<Device*>(Context); }

static NTSTATUS DdiAddDevice(CONST PDEVICE_OBJECT PhysicalDeviceObject, PVOID* MiniportDeviceContext) {
  PAGED_CODE();
  if (PhysicalDeviceObject == NULL || MiniportDeviceContext == NULL) return STATUS_INVALID_PARAMETER;
  *MiniportDeviceContext = new (PoolKind::NonPaged) Device(PhysicalDeviceObject);
#ifdef UNCHECKED
  return STATUS_SUCCESS;
#else
  return *MiniportDeviceContext == NULL ? STATUS_NO_MEMORY : STATUS_SUCCESS;
#endif
}

static NTSTATUS DdiRemoveDevice(CONST PVOID Context) {
  PAGED_CODE();
  delete DeviceOf(Context);
  return STATUS_SUCCESS;
}

static NTSTATUS DdiStartDevice(CONST PVOID Context, PDXGK_START_INFO StartInfo, PDXGKRNL_INTERFACE Interface,
                               PULONG NumberOfSources, PULONG NumberOfChildren) {
  PAGED_CODE();
  return DeviceOf(Context)->Start(StartInfo, Interface, NumberOfSources, NumberOfChildren);
}

static NTSTATUS DdiStopDevice(CONST PVOID Context) {
  PAGED_CODE();
  DeviceOf(Context)->Stop();
  return STATUS_SUCCESS;
}

static VOID DdiResetDevice(CONST PVOID Context) { UNREFERENCED_PARAMETER(Context); }

static VOID DdiUnload(VOID) {
  PAGED_CODE();
  WPP_CLEANUP(NULL);
}

static NTSTATUS DdiDispatchIoRequest(CONST PVOID Context, ULONG SourceId, PVIDEO_REQUEST_PACKET Packet) {
  UNREFERENCED_PARAMETER(Context);
  UNREFERENCED_PARAMETER(SourceId);
  UNREFERENCED_PARAMETER(Packet);
  return STATUS_NOT_SUPPORTED;
}

static BOOLEAN DdiInterruptRoutine(CONST PVOID Context, ULONG MessageNumber) {
  UNREFERENCED_PARAMETER(Context);
  UNREFERENCED_PARAMETER(MessageNumber);
  return FALSE;
}

static VOID DdiDpcRoutine(CONST PVOID Context) { UNREFERENCED_PARAMETER(Context); }

static NTSTATUS DdiSetPowerState(CONST PVOID Context, ULONG DeviceUid, DEVICE_POWER_STATE State, POWER_ACTION Action) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(Action);
  return DeviceOf(Context)->SetPowerState(DeviceUid, State);
}

static NTSTATUS DdiQueryChildRelations(CONST PVOID Context, PDXGK_CHILD_DESCRIPTOR Relations, ULONG Size) {
  PAGED_CODE();
  return DeviceOf(Context)->QueryChildRelations(Relations, Size);
}

static NTSTATUS DdiQueryChildStatus(CONST PVOID Context, PDXGK_CHILD_STATUS Status, BOOLEAN NonDestructiveOnly) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(NonDestructiveOnly);
  return DeviceOf(Context)->QueryChildStatus(Status);
}

// The monitor behind the firmware's frame buffer is unknown.
static NTSTATUS DdiQueryDeviceDescriptor(CONST PVOID Context, ULONG ChildUid, PDXGK_DEVICE_DESCRIPTOR Descriptor) {
  UNREFERENCED_PARAMETER(Context);
  UNREFERENCED_PARAMETER(ChildUid);
  UNREFERENCED_PARAMETER(Descriptor);
  return STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED;
}

static NTSTATUS APIENTRY DdiQueryAdapterInfo(HANDLE Adapter, CONST DXGKARG_QUERYADAPTERINFO* Query) {
  PAGED_CODE();
  return DeviceOf(Adapter)->QueryAdapterInfo(Query);
}

// The capabilities say that there is no hardware pointer.
static NTSTATUS APIENTRY DdiSetPointerPosition(HANDLE Adapter, CONST DXGKARG_SETPOINTERPOSITION* Position) {
  UNREFERENCED_PARAMETER(Adapter);
  return Position->Flags.Visible ? STATUS_UNSUCCESSFUL : STATUS_SUCCESS;
}

static NTSTATUS APIENTRY DdiSetPointerShape(HANDLE Adapter, CONST DXGKARG_SETPOINTERSHAPE* Shape) {
  UNREFERENCED_PARAMETER(Adapter);
  UNREFERENCED_PARAMETER(Shape);
  return STATUS_NOT_IMPLEMENTED;
}

static NTSTATUS APIENTRY DdiIsSupportedVidPn(HANDLE Adapter, DXGKARG_ISSUPPORTEDVIDPN* Support) {
  PAGED_CODE();
  return DeviceOf(Adapter)->IsSupportedVidPn(Support);
}

static NTSTATUS APIENTRY DdiRecommendFunctionalVidPn(HANDLE Adapter, CONST DXGKARG_RECOMMENDFUNCTIONALVIDPN* Recommend) {
  UNREFERENCED_PARAMETER(Adapter);
  UNREFERENCED_PARAMETER(Recommend);
  return STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;
}

static NTSTATUS APIENTRY DdiEnumVidPnCofuncModality(HANDLE Adapter, CONST DXGKARG_ENUMVIDPNCOFUNCMODALITY* Modality) {
  PAGED_CODE();
  return DeviceOf(Adapter)->EnumVidPnCofuncModality(Modality);
}

static NTSTATUS APIENTRY DdiSetVidPnSourceVisibility(HANDLE Adapter, CONST DXGKARG_SETVIDPNSOURCEVISIBILITY* Visibility) {
  PAGED_CODE();
  return DeviceOf(Adapter)->SetVisibility(Visibility);
}

static NTSTATUS APIENTRY DdiCommitVidPn(HANDLE Adapter, CONST DXGKARG_COMMITVIDPN* Commit) {
  PAGED_CODE();
  return DeviceOf(Adapter)->CommitVidPn(Commit);
}

// Only a path without scaling and rotation was offered, so there is nothing to change.
static NTSTATUS APIENTRY DdiUpdateActiveVidPnPresentPath(HANDLE Adapter, CONST DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH* Update) {
  UNREFERENCED_PARAMETER(Adapter);
  CONST D3DKMDT_VIDPN_PRESENT_PATH* Path = &Update->VidPnPresentPathInfo;
  if (Path->VidPnSourceId != SOURCE_ID) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  return Path->VidPnTargetId == TARGET_ID ? STATUS_SUCCESS : STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET;
}

static NTSTATUS APIENTRY DdiRecommendMonitorModes(HANDLE Adapter, CONST DXGKARG_RECOMMENDMONITORMODES* Modes) {
  PAGED_CODE();
  return DeviceOf(Adapter)->RecommendMonitorModes(Modes);
}

// The processor copies each frame; nothing is done by hardware.
static NTSTATUS APIENTRY DdiQueryVidPnHWCapability(HANDLE Adapter, DXGKARG_QUERYVIDPNHWCAPABILITY* Capability) {
  UNREFERENCED_PARAMETER(Adapter);
  RtlZeroMemory(&Capability->VidPnHWCaps, sizeof(Capability->VidPnHWCaps));
  return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY DdiPresentDisplayOnly(HANDLE Adapter, CONST DXGKARG_PRESENT_DISPLAYONLY* Present) {
  return DeviceOf(Adapter)->Present(Present);
}

static NTSTATUS DdiStopDeviceAndReleasePostDisplayOwnership(PVOID Context, D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
                                                            PDXGK_DISPLAY_INFORMATION Information) {
  PAGED_CODE();
  return DeviceOf(Context)->StopAndRelease(TargetId, Information);
}

static NTSTATUS DdiSystemDisplayEnable(PVOID Context, D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
                                       PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS Flags, UINT* Width, UINT* Height,
                                       D3DDDIFORMAT* ColorFormat) {
  UNREFERENCED_PARAMETER(Flags);
  return DeviceOf(Context)->SystemDisplayEnable(TargetId, Width, Height, ColorFormat);
}

static VOID DdiSystemDisplayWrite(PVOID Context, PVOID Source, UINT Width, UINT Height, UINT Stride, UINT X, UINT Y) {
  DeviceOf(Context)->SystemDisplayWrite(Source, Width, Height, Stride, X, Y);
}

// Wrong on purpose; see README.md.
static VOID BreakRules() {
#ifdef LEAK
  ExAllocatePool2(POOL_FLAG_NON_PAGED, 100, 'kaeL');
#endif
#ifdef WRONG_LEVEL
  KIRQL Irql;
  KeRaiseIrql(DISPATCH_LEVEL, &Irql);
  PVOID Memory = ExAllocatePool2(POOL_FLAG_PAGED, 100, DEVICE_TAG);
  KeLowerIrql(Irql);
  if (Memory != NULL) ExFreePoolWithTag(Memory, DEVICE_TAG);
#endif
}

extern "C" NTSTATUS DriverEntry(_In_ DRIVER_OBJECT* DriverObject, _In_ UNICODE_STRING* RegistryPath) {
  WPP_INIT_TRACING(DriverObject, RegistryPath);
  TraceEvents(TRACE_LEVEL_INFORMATION, TRACE_DRIVER, "Loading, registry path %wZ", RegistryPath);
  BreakRules();

  KMDDOD_INITIALIZATION_DATA Data = {0};
  Data.Version = DXGKDDI_INTERFACE_VERSION_WIN8;
  Data.DxgkDdiAddDevice = DdiAddDevice;
  Data.DxgkDdiStartDevice = DdiStartDevice;
  Data.DxgkDdiStopDevice = DdiStopDevice;
  Data.DxgkDdiResetDevice = DdiResetDevice;
  Data.DxgkDdiRemoveDevice = DdiRemoveDevice;
  Data.DxgkDdiDispatchIoRequest = DdiDispatchIoRequest;
  Data.DxgkDdiInterruptRoutine = DdiInterruptRoutine;
  Data.DxgkDdiDpcRoutine = DdiDpcRoutine;
  Data.DxgkDdiQueryChildRelations = DdiQueryChildRelations;
  Data.DxgkDdiQueryChildStatus = DdiQueryChildStatus;
  Data.DxgkDdiQueryDeviceDescriptor = DdiQueryDeviceDescriptor;
  Data.DxgkDdiSetPowerState = DdiSetPowerState;
  Data.DxgkDdiUnload = DdiUnload;
  Data.DxgkDdiQueryAdapterInfo = DdiQueryAdapterInfo;
  Data.DxgkDdiSetPointerPosition = DdiSetPointerPosition;
  Data.DxgkDdiSetPointerShape = DdiSetPointerShape;
  Data.DxgkDdiIsSupportedVidPn = DdiIsSupportedVidPn;
  Data.DxgkDdiRecommendFunctionalVidPn = DdiRecommendFunctionalVidPn;
  Data.DxgkDdiEnumVidPnCofuncModality = DdiEnumVidPnCofuncModality;
  Data.DxgkDdiSetVidPnSourceVisibility = DdiSetVidPnSourceVisibility;
  Data.DxgkDdiCommitVidPn = DdiCommitVidPn;
  Data.DxgkDdiUpdateActiveVidPnPresentPath = DdiUpdateActiveVidPnPresentPath;
  Data.DxgkDdiRecommendMonitorModes = DdiRecommendMonitorModes;
  Data.DxgkDdiQueryVidPnHWCapability = DdiQueryVidPnHWCapability;
  Data.DxgkDdiPresentDisplayOnly = DdiPresentDisplayOnly;
  Data.DxgkDdiStopDeviceAndReleasePostDisplayOwnership = DdiStopDeviceAndReleasePostDisplayOwnership;
  Data.DxgkDdiSystemDisplayEnable = DdiSystemDisplayEnable;
  Data.DxgkDdiSystemDisplayWrite = DdiSystemDisplayWrite;
  return DxgkInitializeDisplayOnlyDriver(DriverObject, RegistryPath, &Data);
}
