// The machine's firmware: a BIOS, which has no environment variables. Part of wdm.h. Public page: wdm.h. PASSIVE_LEVEL.
#pragma once

#include "ntdef.h"

typedef enum _FIRMWARE_TYPE {
  FirmwareTypeUnknown = 0,
  FirmwareTypeBios = 1,
  FirmwareTypeUefi = 2,
  FirmwareTypeMax = 3,
} FIRMWARE_TYPE;
typedef FIRMWARE_TYPE* PFIRMWARE_TYPE;

EXTERN_C FIRMWARE_TYPE NTAPI ExGetFirmwareType(VOID);

// STATUS_NOT_IMPLEMENTED, as on a machine without UEFI.
EXTERN_C NTSTATUS NTAPI ExGetFirmwareEnvironmentVariable(PUNICODE_STRING VariableName, LPGUID VendorGuid, PVOID Value,
                                                         PULONG ValueLength, PULONG Attributes);
EXTERN_C NTSTATUS NTAPI ExSetFirmwareEnvironmentVariable(PUNICODE_STRING VariableName, LPGUID VendorGuid, PVOID Value,
                                                         ULONG ValueLength, ULONG Attributes);
