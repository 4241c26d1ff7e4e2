#include <ntddk.h>

#include "drivers/host/kernel.h"

using namespace tandem::drivers::host;

FIRMWARE_TYPE NTAPI ExGetFirmwareType(VOID) {
  CheckIrql("ExGetFirmwareType", PASSIVE_LEVEL);
  return FirmwareTypeBios;
}

NTSTATUS NTAPI ExGetFirmwareEnvironmentVariable(PUNICODE_STRING /*VariableName*/, LPGUID /*VendorGuid*/, PVOID /*Value*/,
                                                PULONG /*ValueLength*/, PULONG /*Attributes*/) {
  CheckIrql("ExGetFirmwareEnvironmentVariable", PASSIVE_LEVEL);
  return STATUS_NOT_IMPLEMENTED;
}

NTSTATUS NTAPI ExSetFirmwareEnvironmentVariable(PUNICODE_STRING /*VariableName*/, LPGUID /*VendorGuid*/, PVOID /*Value*/,
                                                ULONG /*ValueLength*/, ULONG /*Attributes*/) {
  CheckIrql("ExSetFirmwareEnvironmentVariable", PASSIVE_LEVEL);
  return STATUS_NOT_IMPLEMENTED;
}
