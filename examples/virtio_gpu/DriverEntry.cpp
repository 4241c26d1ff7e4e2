// The table of DDIs. Each function here passes the call on.
#include "Adapter.h"

#include "DriverEntry.tmh"

static Adapter* AdapterOf(PVOID Context) { return static_cast<Adapter*>(Context); }

static NTSTATUS DdiAddDevice(CONST PDEVICE_OBJECT PhysicalDeviceObject, PVOID* MiniportDeviceContext) {
  PAGED_CODE();
  if (PhysicalDeviceObject == NULL || MiniportDeviceContext == NULL) return STATUS_INVALID_PARAMETER;
  *MiniportDeviceContext = new (PoolKind::NonPaged) Adapter;
  return *MiniportDeviceContext == NULL ? STATUS_NO_MEMORY : STATUS_SUCCESS;
}

static NTSTATUS DdiRemoveDevice(CONST PVOID Context) {
  PAGED_CODE();
  delete AdapterOf(Context);
  return STATUS_SUCCESS;
}

static NTSTATUS DdiStartDevice(CONST PVOID Context, PDXGK_START_INFO StartInfo, PDXGKRNL_INTERFACE Interface,
                               PULONG NumberOfSources, PULONG NumberOfChildren) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(StartInfo);
  return AdapterOf(Context)->Start(Interface, NumberOfSources, NumberOfChildren);
}

static NTSTATUS DdiStopDevice(CONST PVOID Context) {
  PAGED_CODE();
  AdapterOf(Context)->Stop();
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
  return AdapterOf(Context)->InterruptRoutine(MessageNumber);
}

static VOID DdiDpcRoutine(CONST PVOID Context) { AdapterOf(Context)->DpcRoutine(); }

static NTSTATUS DdiSetPowerState(CONST PVOID Context, ULONG DeviceUid, DEVICE_POWER_STATE State, POWER_ACTION Action) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(Action);
  return AdapterOf(Context)->SetPowerState(DeviceUid, State);
}

static NTSTATUS DdiQueryChildRelations(CONST PVOID Context, PDXGK_CHILD_DESCRIPTOR Relations, ULONG Size) {
  PAGED_CODE();
  return AdapterOf(Context)->QueryChildRelations(Relations, Size);
}

static NTSTATUS DdiQueryChildStatus(CONST PVOID Context, PDXGK_CHILD_STATUS Status, BOOLEAN NonDestructiveOnly) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(NonDestructiveOnly);
  return AdapterOf(Context)->QueryChildStatus(Status);
}

static NTSTATUS DdiQueryDeviceDescriptor(CONST PVOID Context, ULONG ChildUid, PDXGK_DEVICE_DESCRIPTOR Descriptor) {
  PAGED_CODE();
  return AdapterOf(Context)->QueryDeviceDescriptor(ChildUid, Descriptor);
}

static NTSTATUS APIENTRY DdiQueryAdapterInfo(HANDLE Context, CONST DXGKARG_QUERYADAPTERINFO* Query) {
  PAGED_CODE();
  return AdapterOf(Context)->QueryAdapterInfo(Query);
}

static NTSTATUS APIENTRY DdiGetNodeMetadata(HANDLE Context, UINT NodeOrdinal, DXGKARG_GETNODEMETADATA* Metadata) {
  PAGED_CODE();
  return AdapterOf(Context)->GetNodeMetadata(NodeOrdinal, Metadata);
}

// Devices and contexts are the adapter's handle.
static NTSTATUS APIENTRY DdiCreateDevice(HANDLE Context, DXGKARG_CREATEDEVICE* Create) {
  PAGED_CODE();
  Create->hDevice = Context;
  return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY DdiDestroyDevice(HANDLE Device) {
  UNREFERENCED_PARAMETER(Device);
  return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY DdiCreateContext(HANDLE Device, DXGKARG_CREATECONTEXT* Create) {
  PAGED_CODE();
  Create->hContext = Device;
  return DescribeContext(Create);
}

static NTSTATUS APIENTRY DdiDestroyContext(HANDLE Context) {
  UNREFERENCED_PARAMETER(Context);
  return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY DdiCreateAllocation(HANDLE Context, DXGKARG_CREATEALLOCATION* Create) {
  UNREFERENCED_PARAMETER(Context);
  return CreateAllocations(Create);
}

static NTSTATUS APIENTRY DdiDestroyAllocation(HANDLE Context, CONST DXGKARG_DESTROYALLOCATION* Destroy) {
  return AdapterOf(Context)->DestroyAllocations(Destroy);
}

static NTSTATUS APIENTRY DdiDescribeAllocation(HANDLE Context, DXGKARG_DESCRIBEALLOCATION* Describe) {
  UNREFERENCED_PARAMETER(Context);
  return DescribeAllocation(Describe);
}

static NTSTATUS APIENTRY DdiGetStandardAllocationDriverData(HANDLE Context, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* Standard) {
  UNREFERENCED_PARAMETER(Context);
  return DescribeStandardAllocation(Standard);
}

static NTSTATUS APIENTRY DdiOpenAllocation(HANDLE Device, CONST DXGKARG_OPENALLOCATION* Open) {
  return OpenAllocations(AdapterOf(Device)->Kernel(), Open);
}

static NTSTATUS APIENTRY DdiCloseAllocation(HANDLE Device, CONST DXGKARG_CLOSEALLOCATION* Close) {
  UNREFERENCED_PARAMETER(Device);
  UNREFERENCED_PARAMETER(Close);
  return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY DdiBuildPagingBuffer(HANDLE Context, DXGKARG_BUILDPAGINGBUFFER* Paging) {
  return AdapterOf(Context)->BuildPagingBuffer(Paging);
}

static NTSTATUS APIENTRY DdiPresent(HANDLE Context, DXGKARG_PRESENT* Present) {
  UNREFERENCED_PARAMETER(Context);
  return BuildPresent(Present);
}

static NTSTATUS APIENTRY DdiRender(HANDLE Context, DXGKARG_RENDER* Render) {
  UNREFERENCED_PARAMETER(Context);
  return BuildRender(Render);
}

static NTSTATUS APIENTRY DdiPatch(HANDLE Context, CONST DXGKARG_PATCH* Patch) {
  UNREFERENCED_PARAMETER(Context);
  PatchAddresses(Patch);
  return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY DdiSubmitCommand(HANDLE Context, CONST DXGKARG_SUBMITCOMMAND* Submission) {
  AdapterOf(Context)->GetEngine()->Submit(Submission);
  return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY DdiPreemptCommand(HANDLE Context, CONST DXGKARG_PREEMPTCOMMAND* Preempt) {
  AdapterOf(Context)->GetEngine()->Preempt(Preempt->PreemptionFenceId);
  return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY DdiQueryCurrentFence(HANDLE Context, DXGKARG_QUERYCURRENTFENCE* Query) {
  PAGED_CODE();
  Query->CurrentFence = AdapterOf(Context)->GetEngine()->CompletedFence();
  return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY DdiResetFromTimeout(HANDLE Context) {
  PAGED_CODE();
  AdapterOf(Context)->GetEngine()->Reset();
  return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY DdiRestartFromTimeout(HANDLE Context) {
  UNREFERENCED_PARAMETER(Context);
  return STATUS_SUCCESS;
}

static NTSTATUS APIENTRY DdiSetVidPnSourceAddress(HANDLE Context, CONST DXGKARG_SETVIDPNSOURCEADDRESS* Set) {
  return AdapterOf(Context)->SetSourceAddress(Set);
}

static NTSTATUS APIENTRY DdiSetVidPnSourceVisibility(HANDLE Context, CONST DXGKARG_SETVIDPNSOURCEVISIBILITY* Visibility) {
  return AdapterOf(Context)->SetVisibility(Visibility);
}

static NTSTATUS APIENTRY DdiControlInterrupt(HANDLE Context, CONST DXGK_INTERRUPT_TYPE Type, BOOLEAN Enable) {
  return AdapterOf(Context)->ControlInterrupt(Type, Enable);
}

static NTSTATUS APIENTRY DdiGetScanLine(HANDLE Context, DXGKARG_GETSCANLINE* ScanLine) {
  if (ScanLine->VidPnTargetId != TARGET_ID) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET;
  AdapterOf(Context)->GetDisplay()->GetScanLine(ScanLine);
  return STATUS_SUCCESS;
}

// The capabilities say that there is no hardware pointer: the cursor queue is not used.
static NTSTATUS APIENTRY DdiSetPointerPosition(HANDLE Context, CONST DXGKARG_SETPOINTERPOSITION* Position) {
  UNREFERENCED_PARAMETER(Context);
  return Position->Flags.Visible ? STATUS_UNSUCCESSFUL : STATUS_SUCCESS;
}

static NTSTATUS APIENTRY DdiSetPointerShape(HANDLE Context, CONST DXGKARG_SETPOINTERSHAPE* Shape) {
  UNREFERENCED_PARAMETER(Context);
  UNREFERENCED_PARAMETER(Shape);
  return STATUS_NOT_IMPLEMENTED;
}

static NTSTATUS APIENTRY DdiIsSupportedVidPn(HANDLE Context, DXGKARG_ISSUPPORTEDVIDPN* Support) {
  return AdapterOf(Context)->IsSupportedVidPn(Support);
}

static NTSTATUS APIENTRY DdiRecommendFunctionalVidPn(HANDLE Context, CONST DXGKARG_RECOMMENDFUNCTIONALVIDPN* Recommend) {
  return AdapterOf(Context)->RecommendFunctionalVidPn(Recommend);
}

static NTSTATUS APIENTRY DdiEnumVidPnCofuncModality(HANDLE Context, CONST DXGKARG_ENUMVIDPNCOFUNCMODALITY* Modality) {
  return AdapterOf(Context)->EnumVidPnCofuncModality(Modality);
}

static NTSTATUS APIENTRY DdiCommitVidPn(HANDLE Context, CONST DXGKARG_COMMITVIDPN* Commit) {
  return AdapterOf(Context)->CommitVidPn(Commit);
}

static NTSTATUS APIENTRY DdiUpdateActiveVidPnPresentPath(HANDLE Context, CONST DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH* Update) {
  UNREFERENCED_PARAMETER(Context);
  CONST D3DKMDT_VIDPN_PRESENT_PATH* Path = &Update->VidPnPresentPathInfo;
  if (Path->VidPnSourceId != SOURCE_ID) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  return Path->VidPnTargetId == TARGET_ID ? STATUS_SUCCESS : STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET;
}

static NTSTATUS APIENTRY DdiRecommendMonitorModes(HANDLE Context, CONST DXGKARG_RECOMMENDMONITORMODES* Modes) {
  return AdapterOf(Context)->RecommendMonitorModes(Modes);
}

extern "C" NTSTATUS DriverEntry(_In_ DRIVER_OBJECT* DriverObject, _In_ UNICODE_STRING* RegistryPath) {
  WPP_INIT_TRACING(DriverObject, RegistryPath);
  TraceEvents(TRACE_LEVEL_INFORMATION, TRACE_DRIVER, "Loading, registry path %wZ", RegistryPath);

  DRIVER_INITIALIZATION_DATA Data = {0};
  Data.Version = DXGKDDI_INTERFACE_VERSION_WDDM1_3;
  Data.DxgkDdiAddDevice = DdiAddDevice;
  Data.DxgkDdiStartDevice = DdiStartDevice;
  Data.DxgkDdiStopDevice = DdiStopDevice;
  Data.DxgkDdiRemoveDevice = DdiRemoveDevice;
  Data.DxgkDdiDispatchIoRequest = DdiDispatchIoRequest;
  Data.DxgkDdiInterruptRoutine = DdiInterruptRoutine;
  Data.DxgkDdiDpcRoutine = DdiDpcRoutine;
  Data.DxgkDdiQueryChildRelations = DdiQueryChildRelations;
  Data.DxgkDdiQueryChildStatus = DdiQueryChildStatus;
  Data.DxgkDdiQueryDeviceDescriptor = DdiQueryDeviceDescriptor;
  Data.DxgkDdiSetPowerState = DdiSetPowerState;
  Data.DxgkDdiResetDevice = DdiResetDevice;
  Data.DxgkDdiUnload = DdiUnload;
  Data.DxgkDdiQueryAdapterInfo = DdiQueryAdapterInfo;
  Data.DxgkDdiGetNodeMetadata = DdiGetNodeMetadata;
  Data.DxgkDdiCreateDevice = DdiCreateDevice;
  Data.DxgkDdiDestroyDevice = DdiDestroyDevice;
  Data.DxgkDdiCreateContext = DdiCreateContext;
  Data.DxgkDdiDestroyContext = DdiDestroyContext;
  Data.DxgkDdiCreateAllocation = DdiCreateAllocation;
  Data.DxgkDdiDestroyAllocation = DdiDestroyAllocation;
  Data.DxgkDdiDescribeAllocation = DdiDescribeAllocation;
  Data.DxgkDdiGetStandardAllocationDriverData = DdiGetStandardAllocationDriverData;
  Data.DxgkDdiOpenAllocation = DdiOpenAllocation;
  Data.DxgkDdiCloseAllocation = DdiCloseAllocation;
  Data.DxgkDdiBuildPagingBuffer = DdiBuildPagingBuffer;
  Data.DxgkDdiPresent = DdiPresent;
  Data.DxgkDdiRender = DdiRender;
  Data.DxgkDdiPatch = DdiPatch;
  Data.DxgkDdiSubmitCommand = DdiSubmitCommand;
  Data.DxgkDdiPreemptCommand = DdiPreemptCommand;
  Data.DxgkDdiQueryCurrentFence = DdiQueryCurrentFence;
  Data.DxgkDdiResetFromTimeout = DdiResetFromTimeout;
  Data.DxgkDdiRestartFromTimeout = DdiRestartFromTimeout;
  Data.DxgkDdiSetVidPnSourceAddress = DdiSetVidPnSourceAddress;
  Data.DxgkDdiSetVidPnSourceVisibility = DdiSetVidPnSourceVisibility;
  Data.DxgkDdiControlInterrupt = DdiControlInterrupt;
  Data.DxgkDdiGetScanLine = DdiGetScanLine;
  Data.DxgkDdiSetPointerPosition = DdiSetPointerPosition;
  Data.DxgkDdiSetPointerShape = DdiSetPointerShape;
  Data.DxgkDdiIsSupportedVidPn = DdiIsSupportedVidPn;
  Data.DxgkDdiRecommendFunctionalVidPn = DdiRecommendFunctionalVidPn;
  Data.DxgkDdiEnumVidPnCofuncModality = DdiEnumVidPnCofuncModality;
  Data.DxgkDdiCommitVidPn = DdiCommitVidPn;
  Data.DxgkDdiUpdateActiveVidPnPresentPath = DdiUpdateActiveVidPnPresentPath;
  Data.DxgkDdiRecommendMonitorModes = DdiRecommendMonitorModes;
  return DxgkInitialize(DriverObject, RegistryPath, &Data);
}
