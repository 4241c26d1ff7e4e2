#include "kernel/adapter/monitor_functions.h"

#include <algorithm>

#include "kernel/adapter/adapter_impl.h"
#include "kernel/adapter/callbacks.h"

namespace tandem::kernel {
namespace {

using TargetId = D3DDDI_VIDEO_PRESENT_TARGET_ID;

// STATUS_SUCCESS, and the monitor, for a target of the adapter that has one.
NTSTATUS MonitorAt(HANDLE device, TargetId target, MonitorDescription& monitor) {
  if (device == nullptr) return STATUS_GRAPHICS_INVALID_DISPLAY_ADAPTER;
  AdapterImpl& adapter = AdapterOf(device);
  if (std::ranges::find(adapter.targets(), target) == adapter.targets().end())
    return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET;
  monitor = adapter.monitors().Of(target);
  return monitor.connected ? STATUS_SUCCESS : STATUS_GRAPHICS_MONITOR_NOT_CONNECTED;
}

NTSTATUS AcquireModeSet(HANDLE device, TargetId target, D3DKMDT_HMONITORSOURCEMODESET* set,
                        CONST DXGK_MONITORSOURCEMODESET_INTERFACE** functions) {
  if (set == nullptr || functions == nullptr) return STATUS_INVALID_PARAMETER;
  MonitorDescription monitor;
  if (const NTSTATUS status = MonitorAt(device, target, monitor); !NT_SUCCESS(status)) return status;
  *set = AdapterOf(device).acquired_monitor_modes().Acquire(monitor.modes);
  *functions = &MonitorModes::Functions();
  return STATUS_SUCCESS;
}

NTSTATUS ReleaseModeSet(HANDLE device, D3DKMDT_HMONITORSOURCEMODESET set) {
  if (device == nullptr) return STATUS_GRAPHICS_INVALID_DISPLAY_ADAPTER;
  const bool known = AdapterOf(device).acquired_monitor_modes().Release(set);
  return known ? STATUS_SUCCESS : STATUS_GRAPHICS_INVALID_MONITOR_SOURCEMODESET;
}

NTSTATUS GetFrequencyRanges(HANDLE, TargetId, D3DKMDT_HMONITORFREQUENCYRANGESET*,
                            CONST DXGK_MONITORFREQUENCYRANGESET_INTERFACE**) {
  return STATUS_NOT_SUPPORTED;
}

NTSTATUS GetDescriptors(HANDLE, TargetId, D3DKMDT_HMONITORDESCRIPTORSET*, CONST DXGK_MONITORDESCRIPTORSET_INTERFACE**) {
  return STATUS_NOT_SUPPORTED;
}

NTSTATUS GetAdditionalModes(HANDLE device, TargetId target, UINT* count, DXGK_TARGETMODE_DETAIL_TIMING** modes) {
  if (count == nullptr || modes == nullptr) return STATUS_INVALID_PARAMETER;
  *count = 0;
  *modes = nullptr;
  MonitorDescription monitor;
  return MonitorAt(device, target, monitor);
}

NTSTATUS ReleaseAdditionalModes(HANDLE, TargetId, CONST DXGK_TARGETMODE_DETAIL_TIMING*) { return STATUS_SUCCESS; }

NTSTATUS QueryMonitorInterface(HANDLE device, DXGK_MONITOR_INTERFACE_VERSION version, CONST DXGK_MONITOR_INTERFACE** functions) {
  if (device == nullptr || functions == nullptr) return STATUS_INVALID_PARAMETER;
  if (!CallbackAllowed(AdapterOf(device), "DxgkCbQueryMonitorInterface", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  static constexpr DXGK_MONITOR_INTERFACE kFirst{DXGK_MONITOR_INTERFACE_VERSION_V1, &AcquireModeSet, &ReleaseModeSet,
                                                 &GetFrequencyRanges, &GetDescriptors};
  static constexpr DXGK_MONITOR_INTERFACE_V2 kSecond{DXGK_MONITOR_INTERFACE_VERSION_V2,
                                                     &AcquireModeSet,
                                                     &ReleaseModeSet,
                                                     &GetFrequencyRanges,
                                                     &GetDescriptors,
                                                     &GetAdditionalModes,
                                                     &ReleaseAdditionalModes};
  if (version == DXGK_MONITOR_INTERFACE_VERSION_V1) {
    *functions = &kFirst;
  } else if (version == DXGK_MONITOR_INTERFACE_VERSION_V2) {
    *functions = reinterpret_cast<const DXGK_MONITOR_INTERFACE*>(&kSecond);
  } else {
    return STATUS_NOT_SUPPORTED;
  }
  return STATUS_SUCCESS;
}

}  // namespace

D3DKMDT_HMONITORSOURCEMODESET AcquiredMonitorModes::Acquire(const std::vector<D3DKMDT_MONITOR_SOURCE_MODE>& modes) {
  auto set = std::make_unique<MonitorModes>();
  for (const D3DKMDT_MONITOR_SOURCE_MODE& mode : modes) set->Offer(mode);
  const D3DKMDT_HMONITORSOURCEMODESET handle = set->Lend();
  const MutexLock lock(mutex_);
  sets_.emplace(handle, std::move(set));
  return handle;
}

bool AcquiredMonitorModes::Release(D3DKMDT_HMONITORSOURCEMODESET set) {
  const MutexLock lock(mutex_);
  return sets_.erase(set) != 0;
}

void FillMonitorCallback(DXGKRNL_INTERFACE& callbacks) { callbacks.DxgkCbQueryMonitorInterface = &QueryMonitorInterface; }

}  // namespace tandem::kernel
