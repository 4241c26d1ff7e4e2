#include "kernel/adapter/bus_callbacks.h"

#include "kernel/adapter/adapter_impl.h"
#include "kernel/adapter/callbacks.h"
#include "kernel/service_faults.h"

namespace tandem::kernel {
namespace {

NTSTATUS AcquirePostDisplayOwnership(HANDLE device, PDXGK_DISPLAY_INFORMATION information) {
  AdapterImpl& adapter = AdapterOf(device);
  if (!CallbackAllowed(adapter, "DxgkCbAcquirePostDisplayOwnership", APC_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  if (information == nullptr) return STATUS_INVALID_PARAMETER;
  if (adapter.bus() == nullptr) return STATUS_NOT_SUPPORTED;
  if (ServiceFails("DxgkCbAcquirePostDisplayOwnership")) return STATUS_NO_MEMORY;
  *information = {};
  const NTSTATUS status = adapter.bus()->AcquirePostDisplayOwnership(*information);
  if (NT_SUCCESS(status)) adapter.OnPostDisplayAcquired();
  return status;
}

NTSTATUS MapMemory(HANDLE device, PHYSICAL_ADDRESS address, ULONG length, BOOLEAN in_io_space, BOOLEAN to_user_mode,
                   MEMORY_CACHING_TYPE /*caching*/, PVOID* mapped) {
  AdapterImpl& adapter = AdapterOf(device);
  if (!CallbackAllowed(adapter, "DxgkCbMapMemory", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  if (mapped == nullptr || length == 0) return STATUS_INVALID_PARAMETER;
  if (adapter.bus() == nullptr || in_io_space != FALSE || to_user_mode != FALSE) return STATUS_NOT_SUPPORTED;
  if (ServiceFails("DxgkCbMapMemory")) return STATUS_NO_MEMORY;
  return adapter.bus()->MapMemory(address, length, *mapped);
}

NTSTATUS UnmapMemory(HANDLE device, PVOID mapped) {
  AdapterImpl& adapter = AdapterOf(device);
  if (!CallbackAllowed(adapter, "DxgkCbUnmapMemory", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  return adapter.bus() == nullptr ? STATUS_NOT_SUPPORTED : adapter.bus()->UnmapMemory(mapped);
}

NTSTATUS ReadDeviceSpace(HANDLE device, ULONG space, PVOID buffer, ULONG offset, ULONG length, PULONG read) {
  AdapterImpl& adapter = AdapterOf(device);
  if (!CallbackAllowed(adapter, "DxgkCbReadDeviceSpace", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  if (buffer == nullptr || read == nullptr) return STATUS_INVALID_PARAMETER;
  *read = 0;
  if (adapter.bus() == nullptr || space != DXGK_WHICHSPACE_CONFIG) return STATUS_NOT_SUPPORTED;
  if (ServiceFails("DxgkCbReadDeviceSpace")) return STATUS_NO_MEMORY;
  return adapter.bus()->ReadConfiguration(offset, buffer, length, *read);
}

NTSTATUS WriteDeviceSpace(HANDLE device, ULONG space, PVOID buffer, ULONG offset, ULONG length, PULONG written) {
  AdapterImpl& adapter = AdapterOf(device);
  if (!CallbackAllowed(adapter, "DxgkCbWriteDeviceSpace", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  if (buffer == nullptr || written == nullptr) return STATUS_INVALID_PARAMETER;
  *written = 0;
  if (adapter.bus() == nullptr || space != DXGK_WHICHSPACE_CONFIG) return STATUS_NOT_SUPPORTED;
  return adapter.bus()->WriteConfiguration(offset, buffer, length, *written);
}

}  // namespace

void FillBusCallbacks(DXGKRNL_INTERFACE& callbacks) {
  callbacks.DxgkCbAcquirePostDisplayOwnership = &AcquirePostDisplayOwnership;
  callbacks.DxgkCbMapMemory = &MapMemory;
  callbacks.DxgkCbUnmapMemory = &UnmapMemory;
  callbacks.DxgkCbReadDeviceSpace = &ReadDeviceSpace;
  callbacks.DxgkCbWriteDeviceSpace = &WriteDeviceSpace;
}

}  // namespace tandem::kernel
