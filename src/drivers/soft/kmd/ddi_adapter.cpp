// Life cycle, children and interrupts.
#include <new>

#include "base/log.h"
#include "drivers/common/children.h"
#include "drivers/common/status.h"
#include "drivers/soft/kmd/ddi.h"
#include "drivers/soft/kmd/device.h"

namespace tandem::soft {

NTSTATUS SoftAddDevice(CONST PDEVICE_OBJECT physical_device, PVOID* miniport_context) {
  if (physical_device == nullptr || miniport_context == nullptr) return STATUS_INVALID_PARAMETER;
  auto device = Device::Create(*physical_device);
  if (!device.ok()) {
    Log(LogLevel::kError, "{}", device.error().message);
    return drivers::ToNtStatus(device.error());
  }
  *miniport_context = device->release();
  return STATUS_SUCCESS;
}

NTSTATUS SoftStartDevice(CONST PVOID context, PDXGK_START_INFO /*start_info*/, PDXGKRNL_INTERFACE kernel, PULONG source_count,
                         PULONG child_count) {
  auto& device = *static_cast<Device*>(context);
  if (const auto started = device.Start(*kernel); !started.ok()) {
    Log(LogLevel::kError, "{}", started.error().message);
    device.Stop();
    return drivers::ToNtStatus(started.error());
  }
  *source_count = device.source_count();
  *child_count = device.source_count();
  return STATUS_SUCCESS;
}

NTSTATUS SoftStopDevice(CONST PVOID context) {
  static_cast<Device*>(context)->Stop();
  return STATUS_SUCCESS;
}

NTSTATUS SoftRemoveDevice(CONST PVOID context) {
  delete static_cast<Device*>(context);
  return STATUS_SUCCESS;
}

VOID SoftResetDevice(CONST PVOID /*context*/) {}

VOID SoftUnload() {}

NTSTATUS SoftDispatchIoRequest(CONST PVOID /*context*/, ULONG /*source*/, PVIDEO_REQUEST_PACKET /*packet*/) {
  return STATUS_NOT_SUPPORTED;
}

BOOLEAN SoftInterruptRoutine(CONST PVOID context, ULONG /*message*/) {
  return static_cast<Device*>(context)->interrupts().Service() ? TRUE : FALSE;
}

VOID SoftDpcRoutine(CONST PVOID context) { static_cast<Device*>(context)->interrupts().NotifyDpc(); }

NTSTATUS SoftQueryChildRelations(CONST PVOID context, PDXGK_CHILD_DESCRIPTOR children, ULONG bytes) {
  return drivers::QueryChildRelations(static_cast<Device*>(context)->source_count(), children, bytes);
}

NTSTATUS SoftQueryChildStatus(CONST PVOID context, PDXGK_CHILD_STATUS status, BOOLEAN /*non_destructive*/) {
  return drivers::QueryChildStatus(static_cast<Device*>(context)->source_count(), *status);
}

NTSTATUS SoftQueryDeviceDescriptor(CONST PVOID /*context*/, ULONG /*child*/, PDXGK_DEVICE_DESCRIPTOR /*descriptor*/) {
  return STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED;
}

NTSTATUS SoftSetPowerState(CONST PVOID /*context*/, ULONG /*device*/, DEVICE_POWER_STATE /*state*/, POWER_ACTION /*action*/) {
  return STATUS_SUCCESS;
}

NTSTATUS SoftNotifyAcpiEvent(CONST PVOID /*context*/, DXGK_EVENT_TYPE /*type*/, ULONG /*event*/, PVOID /*argument*/,
                             PULONG /*flags*/) {
  return STATUS_NOT_SUPPORTED;
}

VOID SoftControlEtwLogging(BOOLEAN /*enable*/, ULONG /*flags*/, UCHAR /*level*/) {}

}  // namespace tandem::soft
