// D3DKMT*: trim notifications.
#include "kernel/thunk/system.h"

namespace tandem::kernel {
namespace {

bool Same(LUID a, LUID b) { return a.LowPart == b.LowPart && a.HighPart == b.HighPart; }

NTSTATUS RegisterTrim(System& system, D3DKMT_REGISTERTRIMNOTIFICATION& data) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  AdapterInstance& unit = *device->unit;
  if (data.Callback == nullptr || !Same(unit.description().luid, data.AdapterLuid)) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  const auto handle = unit.trims().Register(data.hDevice, data.Callback, data.Context);
  if (!handle.ok()) return STATUS_INSUFFICIENT_RESOURCES;
  data.Handle = *handle;
  return STATUS_SUCCESS;
}

NTSTATUS UnregisterTrim(System& system, const D3DKMT_UNREGISTERTRIMNOTIFICATION& data) {
  if (data.Handle == nullptr && data.Callback == nullptr) return STATUS_INVALID_PARAMETER;
  bool found = false;
  for (const auto& unit : system.Units()) found = unit->trims().Unregister(data.Handle, data.Callback) || found;
  return found ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTRegisterTrimNotification(D3DKMT_REGISTERTRIMNOTIFICATION* data) {
  return InThunk(data, [&](System& system) { return RegisterTrim(system, *data); });
}

NTSTATUS APIENTRY D3DKMTUnregisterTrimNotification(D3DKMT_UNREGISTERTRIMNOTIFICATION* data) {
  return InThunk(data, [&](System& system) { return UnregisterTrim(system, *data); });
}
