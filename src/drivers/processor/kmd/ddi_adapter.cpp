// Life cycle, children and interrupts.
#include "base/log.h"
#include "drivers/common/children.h"
#include "drivers/common/status.h"
#include "drivers/processor/kmd/ddi.h"
#include "drivers/processor/kmd/device.h"

namespace tandem::processor {

NTSTATUS AddDevice(PDEVICE_OBJECT physical_device, PVOID* miniport_context,
                   Result<std::unique_ptr<Device>> (*create)(DEVICE_OBJECT&)) {
  if (physical_device == nullptr || miniport_context == nullptr) return STATUS_INVALID_PARAMETER;
  auto device = create(*physical_device);
  if (!device.ok()) {
    Log(LogLevel::kError, "{}", device.error().message);
    return drivers::ToNtStatus(device.error());
  }
  *miniport_context = device->release();
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorStartDevice(CONST PVOID context, PDXGK_START_INFO /*start_info*/, PDXGKRNL_INTERFACE kernel,
                              PULONG source_count, PULONG child_count) {
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

NTSTATUS ProcessorStopDevice(CONST PVOID context) {
  static_cast<Device*>(context)->Stop();
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorRemoveDevice(CONST PVOID context) {
  delete static_cast<Device*>(context);
  return STATUS_SUCCESS;
}

VOID ProcessorResetDevice(CONST PVOID /*context*/) {}

VOID ProcessorUnload() {}

NTSTATUS ProcessorDispatchIoRequest(CONST PVOID /*context*/, ULONG /*source*/, PVIDEO_REQUEST_PACKET /*packet*/) {
  return STATUS_NOT_SUPPORTED;
}

BOOLEAN ProcessorInterruptRoutine(CONST PVOID context, ULONG /*message*/) {
  return static_cast<Device*>(context)->interrupts().Service() ? TRUE : FALSE;
}

VOID ProcessorDpcRoutine(CONST PVOID context) { static_cast<Device*>(context)->interrupts().NotifyDpc(); }

NTSTATUS ProcessorQueryChildRelations(CONST PVOID context, PDXGK_CHILD_DESCRIPTOR children, ULONG bytes) {
  auto& device = *static_cast<Device*>(context);
  return drivers::QueryChildRelations(device.source_count(), device.display().hpd_awareness(), children, bytes);
}

NTSTATUS ProcessorQueryChildStatus(CONST PVOID context, PDXGK_CHILD_STATUS status, BOOLEAN /*non_destructive*/) {
  return static_cast<Device*>(context)->display().QueryChildStatus(*status);
}

NTSTATUS ProcessorQueryDeviceDescriptor(CONST PVOID context, ULONG child, PDXGK_DEVICE_DESCRIPTOR descriptor) {
  return static_cast<Device*>(context)->display().QueryDeviceDescriptor(child, *descriptor);
}

NTSTATUS ProcessorSetPowerState(CONST PVOID /*context*/, ULONG /*device*/, DEVICE_POWER_STATE /*state*/,
                                POWER_ACTION /*action*/) {
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorNotifyAcpiEvent(CONST PVOID /*context*/, DXGK_EVENT_TYPE /*type*/, ULONG /*event*/, PVOID /*argument*/,
                                  PULONG /*flags*/) {
  return STATUS_NOT_SUPPORTED;
}

VOID ProcessorControlEtwLogging(BOOLEAN /*enable*/, ULONG /*flags*/, UCHAR /*level*/) {}

}  // namespace tandem::processor
