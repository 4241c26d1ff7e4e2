// What the Plug and Play manager tells of a device: one that a root enumerator found, as no bus with names of its own has it.
#include <devpkey.h>
#include <ntddk.h>

#include <cstring>

#include "drivers/host/kernel.h"

namespace {

// Strings end with a zero, a list of strings with another one.
constexpr WCHAR kHardwareIds[] = u"ROOT\\TANDEM\0";
constexpr WCHAR kDescription[] = u"Tandem device";
constexpr WCHAR kEnumerator[] = u"ROOT";
constexpr WCHAR kObjectName[] = u"\\Device\\Tandem0";
constexpr WCHAR kClass[] = u"Display";

struct Property {
  DEVICE_REGISTRY_PROPERTY number;
  const DEVPROPKEY* key;
  const WCHAR* text;
  ULONG bytes;
  DEVPROPTYPE type;
};

constexpr Property kProperties[] = {
    {DevicePropertyHardwareID, &DEVPKEY_Device_HardwareIds, kHardwareIds, sizeof(kHardwareIds), DEVPROP_TYPE_STRING_LIST},
    {DevicePropertyDeviceDescription, &DEVPKEY_Device_DeviceDesc, kDescription, sizeof(kDescription), DEVPROP_TYPE_STRING},
    {DevicePropertyEnumeratorName, &DEVPKEY_Device_EnumeratorName, kEnumerator, sizeof(kEnumerator), DEVPROP_TYPE_STRING},
    {DevicePropertyPhysicalDeviceObjectName, &DEVPKEY_Device_PDOName, kObjectName, sizeof(kObjectName), DEVPROP_TYPE_STRING},
    {DevicePropertyClassName, &DEVPKEY_Device_Class, kClass, sizeof(kClass), DEVPROP_TYPE_STRING},
};

NTSTATUS Answer(const Property& property, ULONG length, PVOID buffer, PULONG result) {
  *result = property.bytes;
  if (length < property.bytes || buffer == nullptr) return STATUS_BUFFER_TOO_SMALL;
  std::memcpy(buffer, property.text, property.bytes);
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS NTAPI IoGetDeviceProperty(PDEVICE_OBJECT /*DeviceObject*/, DEVICE_REGISTRY_PROPERTY DeviceProperty, ULONG BufferLength,
                                   PVOID PropertyBuffer, PULONG ResultLength) {
  tandem::drivers::host::CheckIrql("IoGetDeviceProperty", PASSIVE_LEVEL);
  for (const Property& property : kProperties) {
    if (property.number == DeviceProperty) return Answer(property, BufferLength, PropertyBuffer, ResultLength);
  }
  *ResultLength = 0;
  return STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS NTAPI IoGetDevicePropertyData(PDEVICE_OBJECT /*Pdo*/, CONST DEVPROPKEY* PropertyKey, LCID /*Lcid*/, ULONG /*Flags*/,
                                       ULONG Size, PVOID Data, PULONG RequiredSize, PDEVPROPTYPE Type) {
  tandem::drivers::host::CheckIrql("IoGetDevicePropertyData", APC_LEVEL);
  for (const Property& property : kProperties) {
    const bool same = property.key->pid == PropertyKey->pid &&
                      std::memcmp(&property.key->fmtid, &PropertyKey->fmtid, sizeof(PropertyKey->fmtid)) == 0;
    if (!same) continue;
    *Type = property.type;
    return Answer(property, Size, Data, RequiredSize);
  }
  *Type = DEVPROP_TYPE_EMPTY;
  *RequiredSize = 0;
  return STATUS_OBJECT_NAME_NOT_FOUND;
}
