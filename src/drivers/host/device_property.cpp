// What the Plug and Play manager tells of a device: one that a root enumerator found, as no bus with names of its own has it.
#include <ntddk.h>

#include <cstring>

#include "drivers/host/kernel.h"

namespace {

// Strings end with a zero, a list of strings with another one.
constexpr WCHAR kHardwareIds[] = u"ROOT\\TANDEM\0";
constexpr WCHAR kDescription[] = u"Tandem device";
constexpr WCHAR kEnumerator[] = u"ROOT";
constexpr WCHAR kObjectName[] = u"\\Device\\Tandem0";

NTSTATUS Answer(const WCHAR* text, ULONG bytes, ULONG length, PVOID buffer, PULONG result) {
  *result = bytes;
  if (length < bytes || buffer == nullptr) return STATUS_BUFFER_TOO_SMALL;
  std::memcpy(buffer, text, bytes);
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS NTAPI IoGetDeviceProperty(PDEVICE_OBJECT /*DeviceObject*/, DEVICE_REGISTRY_PROPERTY DeviceProperty, ULONG BufferLength,
                                   PVOID PropertyBuffer, PULONG ResultLength) {
  tandem::drivers::host::CheckIrql("IoGetDeviceProperty", PASSIVE_LEVEL);
  switch (DeviceProperty) {
    case DevicePropertyHardwareID: return Answer(kHardwareIds, sizeof(kHardwareIds), BufferLength, PropertyBuffer, ResultLength);
    case DevicePropertyDeviceDescription:
      return Answer(kDescription, sizeof(kDescription), BufferLength, PropertyBuffer, ResultLength);
    case DevicePropertyEnumeratorName:
      return Answer(kEnumerator, sizeof(kEnumerator), BufferLength, PropertyBuffer, ResultLength);
    case DevicePropertyPhysicalDeviceObjectName:
      return Answer(kObjectName, sizeof(kObjectName), BufferLength, PropertyBuffer, ResultLength);
    default: *ResultLength = 0; return STATUS_OBJECT_NAME_NOT_FOUND;
  }
}
