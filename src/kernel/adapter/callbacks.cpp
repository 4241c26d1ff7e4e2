#include "kernel/adapter/callbacks.h"

#include <unistd.h>

#include <fmt/core.h>

#include "kernel/adapter/bus_callbacks.h"
#include "kernel/adapter/feature_callbacks.h"
#include "kernel/adapter/monitor_functions.h"
#include "kernel/adapter/rules.h"
#include "kernel/adapter/vidpn.h"
#include "kernel/service_faults.h"

namespace tandem::kernel {
namespace {

// The list of a device without resources. Drivers read the first element of a list that is not there, too.
PCM_RESOURCE_LIST NoResources() {
  static CM_RESOURCE_LIST none = [] {
    CM_RESOURCE_LIST list{};
    list.Count = 1;
    list.List[0].InterfaceType = Internal;
    list.List[0].PartialResourceList.Version = list.List[0].PartialResourceList.Revision = 1;
    return list;
  }();
  return &none;
}

NTSTATUS GetDeviceInformation(HANDLE device, PDXGK_DEVICE_INFO info) {
  AdapterImpl& adapter = AdapterOf(device);
  if (!CallbackAllowed(adapter, "DxgkCbGetDeviceInformation", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  if (info == nullptr) return STATUS_INVALID_PARAMETER;
  if (ServiceFails("DxgkCbGetDeviceInformation")) return STATUS_NO_MEMORY;
  *info = {};
  info->MiniportDeviceContext = adapter.miniport_context();
  info->PhysicalDeviceObject = &adapter.device_object();
  if (adapter.bus() != nullptr) info->TranslatedResourceList = adapter.bus()->TranslatedResources();
  if (info->TranslatedResourceList == nullptr) info->TranslatedResourceList = NoResources();
  info->SystemMemorySize.QuadPart = LONGLONG{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  info->HighestPhysicalAddress.QuadPart = INT64_MAX;
  info->DockingState = DockStateUnsupported;
  return STATUS_SUCCESS;
}

NTSTATUS IndicateChildStatus(HANDLE device, PDXGK_CHILD_STATUS status) {
  AdapterImpl& adapter = AdapterOf(device);
  if (!CallbackAllowed(adapter, "DxgkCbIndicateChildStatus", DISPATCH_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  return status == nullptr ? STATUS_INVALID_PARAMETER : adapter.child_statuses().Indicate(*status);
}

BOOLEAN QueueDpc(HANDLE device) { return AdapterOf(device).interrupts().QueueDpc() ? TRUE : FALSE; }

NTSTATUS QueryServices(HANDLE device, DXGK_SERVICES service, PINTERFACE interface) {
  if (!CallbackAllowed(AdapterOf(device), "DxgkCbQueryServices", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  return service == DxgkServicesFeature ? QueryFeatureService(device, interface) : STATUS_NOT_SUPPORTED;
}

NTSTATUS SynchronizeExecution(HANDLE device, PKSYNCHRONIZE_ROUTINE routine, PVOID context, ULONG /*message_number*/,
                              PBOOLEAN returned) {
  AdapterImpl& adapter = AdapterOf(device);
  if (!CallbackAllowed(adapter, "DxgkCbSynchronizeExecution", DISPATCH_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  if (routine == nullptr || returned == nullptr) return STATUS_INVALID_PARAMETER;
  *returned = adapter.interrupts().Synchronize(routine, context);
  return STATUS_SUCCESS;
}

VOID NotifyInterrupt(HANDLE device, CONST DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  if (data != nullptr) AdapterOf(device).interrupts().Notify(*data);
}

VOID NotifyDpc(HANDLE device) { AdapterOf(device).interrupts().NotifyDpc(); }

VOID* GetHandleData(CONST DXGKARGCB_GETHANDLEDATA* data) {
  AdapterImpl* adapter = CurrentAdapter();
  if (adapter == nullptr || data == nullptr || !CallbackAllowed(*adapter, "DxgkCbGetHandleData", APC_LEVEL)) return nullptr;
  HandleResolver* resolver = adapter->resolver();
  return resolver == nullptr ? nullptr : resolver->HandleData(*data);
}

D3DKMT_HANDLE GetHandleParent(D3DKMT_HANDLE allocation) {
  AdapterImpl* adapter = CurrentAdapter();
  if (adapter == nullptr || !CallbackAllowed(*adapter, "DxgkCbGetHandleParent", APC_LEVEL)) return 0;
  HandleResolver* resolver = adapter->resolver();
  return resolver == nullptr ? 0 : resolver->HandleParent(allocation);
}

D3DKMT_HANDLE EnumHandleChildren(CONST DXGKARGCB_ENUMHANDLECHILDREN* args) {
  AdapterImpl* adapter = CurrentAdapter();
  if (adapter == nullptr || args == nullptr || !CallbackAllowed(*adapter, "DxgkCbEnumHandleChildren", PASSIVE_LEVEL)) return 0;
  HandleResolver* resolver = adapter->resolver();
  return resolver == nullptr ? 0 : resolver->HandleChild(args->hObject, args->Index);
}

// The objects of this kernel stay until their DDI returned, so acquiring is getting, and releasing is nothing.
VOID* AcquireHandleData(CONST DXGKARGCB_GETHANDLEDATA* data, HANDLE* release_handle) {
  VOID* const object = GetHandleData(data);
  if (release_handle != nullptr) *release_handle = object;
  return object;
}

VOID ReleaseHandleData(DXGKARGCB_RELEASEHANDLEDATA /*data*/) {
  if (AdapterImpl* adapter = CurrentAdapter()) static_cast<void>(CallbackAllowed(*adapter, "DxgkCbReleaseHandleData", APC_LEVEL));
}

// Services of a machine that this kernel does not have, as ACPI. Their rules count all the same.
struct MissingService {
  const char* callback;
  KIRQL highest;
};
constexpr MissingService kIsDevicePresent{"DxgkCbIsDevicePresent", PASSIVE_LEVEL};
constexpr MissingService kExcludeAdapterAccess{"DxgkCbExcludeAdapterAccess", PASSIVE_LEVEL};

template <const MissingService& kService, class... Args>
NTSTATUS NotSupported(Args...) {
  if (AdapterImpl* adapter = CurrentAdapter()) static_cast<void>(CallbackAllowed(*adapter, kService.callback, kService.highest));
  return STATUS_NOT_SUPPORTED;
}

// A driver's own threads may read a VidPN while one of its DDIs has it.
NTSTATUS QueryVidPnFunctions(D3DKMDT_HVIDPN vidpn, DXGK_VIDPN_INTERFACE_VERSION version, CONST DXGK_VIDPN_INTERFACE** functions) {
  AdapterImpl* adapter = CurrentAdapter();
  if (adapter != nullptr && !CallbackAllowed(*adapter, "DxgkCbQueryVidPnInterface", APC_LEVEL))
    return STATUS_INVALID_DEVICE_STATE;
  return QueryVidPnInterface(vidpn, version, functions);
}

// Nobody listens. The interrupt routine may call two callbacks only, and this is neither (docs/contract.md, Interrupts).
VOID LogEtwEvent(LPCGUID /*guid*/, UCHAR /*type*/, USHORT /*size*/, PVOID /*buffer*/) {
  if (AdapterImpl* adapter = CurrentAdapter()) static_cast<void>(CallbackAllowed(*adapter, "DxgkCbLogEtwEvent", DISPATCH_LEVEL));
}

}  // namespace

AdapterImpl* CurrentAdapter() {
  DdiGate* gate = DdiGate::Current().gate;
  return gate == nullptr ? nullptr : gate->owner().adapter();
}

bool CallbackAllowed(AdapterImpl& adapter, const char* callback, KIRQL highest) {
  if (CurrentIrql() <= highest) return true;
  adapter.ReportViolation(rules::kCallbackIrql,
                          fmt::format("{} was called at IRQL {}; at most {} is allowed.", callback, CurrentIrql(), highest));
  return false;
}

VOID APIENTRY ReportPresentProgress(HANDLE device, DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS* progress) {
  if (device == nullptr || progress == nullptr) return;
  AdapterImpl& adapter = AdapterOf(device);
  if (CallbackAllowed(adapter, "DXGKCB_PRESENT_DISPLAYONLY_PROGRESS", DISPATCH_LEVEL))
    adapter.present_progress().Report(*progress);
}

void FillCallbacks(DXGKRNL_INTERFACE& callbacks, AdapterImpl& adapter, ULONG version) {
  callbacks = {};
  callbacks.Size = sizeof(callbacks);
  callbacks.Version = version;
  callbacks.DeviceHandle = &adapter;
  callbacks.DxgkCbGetDeviceInformation = &GetDeviceInformation;
  callbacks.DxgkCbIndicateChildStatus = &IndicateChildStatus;
  callbacks.DxgkCbQueueDpc = &QueueDpc;
  callbacks.DxgkCbQueryServices = &QueryServices;
  callbacks.DxgkCbSynchronizeExecution = &SynchronizeExecution;
  callbacks.DxgkCbIsDevicePresent = &NotSupported<kIsDevicePresent>;
  callbacks.DxgkCbGetHandleData = &GetHandleData;
  callbacks.DxgkCbGetHandleParent = &GetHandleParent;
  callbacks.DxgkCbEnumHandleChildren = &EnumHandleChildren;
  callbacks.DxgkCbNotifyInterrupt = &NotifyInterrupt;
  callbacks.DxgkCbNotifyDpc = &NotifyDpc;
  callbacks.DxgkCbQueryVidPnInterface = &QueryVidPnFunctions;
  callbacks.DxgkCbLogEtwEvent = &LogEtwEvent;
  callbacks.DxgkCbExcludeAdapterAccess = &NotSupported<kExcludeAdapterAccess>;
  callbacks.DxgkCbAcquireHandleData = &AcquireHandleData;
  callbacks.DxgkCbReleaseHandleData = &ReleaseHandleData;
  FillBusCallbacks(callbacks);
  FillFeatureCallbacks(callbacks);
  FillMonitorCallback(callbacks);
}

}  // namespace tandem::kernel
