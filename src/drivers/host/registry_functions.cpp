// The NT kernel's functions for the registry. See registry.h.
#include <ntddk.h>

#include <cstdio>
#include <cstring>

#include "drivers/host/kernel.h"
#include "drivers/host/registry_view.h"

namespace tandem::drivers::host {
namespace {

NTSTATUS OpenPath(const char* path, PHANDLE handle) {
  auto* const key = static_cast<KeyObject*>(CreateObject(ObjectKind::kKey, sizeof(KeyObject)));
  if (key == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  std::snprintf(key->path, sizeof(key->path), "%s", path);
  *handle = OpenHandle(key);
  return STATUS_SUCCESS;
}

// The path below the root directory's.
NTSTATUS PathOf(const OBJECT_ATTRIBUTES& attributes, char (&path)[kLongestRegistryName], const char* function) {
  char name[kLongestRegistryName] = "";
  if (attributes.ObjectName != nullptr && !ToAscii(*attributes.ObjectName, name)) return STATUS_OBJECT_NAME_INVALID;
  if (attributes.RootDirectory == nullptr) {
    std::memcpy(path, name, sizeof(path));
    return STATUS_SUCCESS;
  }
  const OpenKey root(attributes.RootDirectory, function);
  if (root.path() == nullptr) return STATUS_INVALID_HANDLE;
  const int length = std::snprintf(path, sizeof(path), "%s\\%s", root.path(), name);
  return length < static_cast<int>(sizeof(path)) ? STATUS_SUCCESS : STATUS_OBJECT_NAME_INVALID;
}

}  // namespace
}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

NTSTATUS NTAPI IoOpenDeviceRegistryKey(PDEVICE_OBJECT DeviceObject, ULONG DevInstKeyType, ACCESS_MASK /*DesiredAccess*/,
                                       PHANDLE DeviceRegKey) {
  CheckIrql("IoOpenDeviceRegistryKey", PASSIVE_LEVEL);
  if (DeviceObject == nullptr) return STATUS_INVALID_DEVICE_REQUEST;
  char path[kLongestRegistryName];
  const bool of_driver = (DevInstKeyType & PLUGPLAY_REGKEY_DRIVER) != 0;
  std::snprintf(path, sizeof(path), "%s:%s", of_driver ? "driver" : "device",
                DeviceObject->Name == nullptr ? "" : DeviceObject->Name);
  return OpenPath(path, DeviceRegKey);
}

// The driver's own key, whose path DriverEntry receives, always exists.
NTSTATUS NTAPI ZwOpenKey(PHANDLE KeyHandle, ACCESS_MASK /*DesiredAccess*/, POBJECT_ATTRIBUTES ObjectAttributes) {
  CheckIrql("ZwOpenKey", PASSIVE_LEVEL);
  char path[kLongestRegistryName];
  const NTSTATUS status = PathOf(*ObjectAttributes, path, "ZwOpenKey");
  if (!NT_SUCCESS(status)) return status;
  {
    RegistryView registry;
    if (path[0] != '\0' && !registry.HasKey(path)) return STATUS_OBJECT_NAME_NOT_FOUND;
  }
  return OpenPath(path, KeyHandle);
}

NTSTATUS NTAPI ZwCreateKey(PHANDLE KeyHandle, ACCESS_MASK /*DesiredAccess*/, POBJECT_ATTRIBUTES ObjectAttributes,
                           ULONG /*TitleIndex*/, PUNICODE_STRING /*Class*/, ULONG /*CreateOptions*/, PULONG Disposition) {
  CheckIrql("ZwCreateKey", PASSIVE_LEVEL);
  char path[kLongestRegistryName];
  const NTSTATUS status = PathOf(*ObjectAttributes, path, "ZwCreateKey");
  if (!NT_SUCCESS(status)) return status;
  {
    RegistryView registry;
    const bool existed = registry.HasKey(path);
    if (!registry.own().CreateKey(path)) return STATUS_INSUFFICIENT_RESOURCES;
    if (Disposition != nullptr) *Disposition = existed ? 2 : 1;  // REG_OPENED_EXISTING_KEY, REG_CREATED_NEW_KEY.
  }
  return OpenPath(path, KeyHandle);
}

NTSTATUS NTAPI ZwQueryValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName, KEY_VALUE_INFORMATION_CLASS KeyValueInformationClass,
                               PVOID KeyValueInformation, ULONG Length, PULONG ResultLength) {
  CheckIrql("ZwQueryValueKey", PASSIVE_LEVEL);
  const OpenKey key(KeyHandle, "ZwQueryValueKey");
  char name[kLongestRegistryName];
  if (key.path() == nullptr) return STATUS_INVALID_HANDLE;
  if (!ToAscii(*ValueName, name)) return STATUS_OBJECT_NAME_INVALID;
  RegistryView registry;
  const Registry::Value* const value = registry.Find(key.path(), name);
  if (value == nullptr) return STATUS_OBJECT_NAME_NOT_FOUND;
  return PutValue(*value, KeyValueInformationClass, KeyValueInformation, Length, ResultLength);
}

NTSTATUS NTAPI ZwSetValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName, ULONG /*TitleIndex*/, ULONG Type, PVOID Data,
                             ULONG DataSize) {
  CheckIrql("ZwSetValueKey", PASSIVE_LEVEL);
  const OpenKey key(KeyHandle, "ZwSetValueKey");
  char name[kLongestRegistryName];
  if (key.path() == nullptr) return STATUS_INVALID_HANDLE;
  if (!ToAscii(*ValueName, name)) return STATUS_OBJECT_NAME_INVALID;
  RegistryView registry;
  return registry.own().Set(key.path(), name, Type, Data, DataSize) ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

NTSTATUS NTAPI ZwDeleteValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName) {
  CheckIrql("ZwDeleteValueKey", PASSIVE_LEVEL);
  const OpenKey key(KeyHandle, "ZwDeleteValueKey");
  char name[kLongestRegistryName];
  if (key.path() == nullptr) return STATUS_INVALID_HANDLE;
  if (!ToAscii(*ValueName, name)) return STATUS_OBJECT_NAME_INVALID;
  RegistryView registry;
  return registry.own().Remove(key.path(), name) ? STATUS_SUCCESS : STATUS_OBJECT_NAME_NOT_FOUND;
}
