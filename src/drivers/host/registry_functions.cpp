// The NT kernel's functions for the registry. See registry.h.
#include <ntddk.h>

#include <cstdio>
#include <cstring>

#include "drivers/host/kernel.h"
#include "drivers/host/leftovers.h"
#include "drivers/host/lock.h"
#include "drivers/host/objects.h"
#include "drivers/host/registry.h"

namespace tandem::drivers::host {
namespace {

struct KeyObject {
  char path[kLongestRegistryName];
};

constinit Mutex mutex;
constinit Registry registry;

// A handle's key, referenced while the scope lasts.
class OpenKey {
 public:
  OpenKey(HANDLE handle, const char* function)
      : key_(static_cast<KeyObject*>(ReferenceHandle(handle, ObjectKind::kKey, function))) {}
  ~OpenKey() {
    LONG_PTR count = 0;
    if (key_ != nullptr) DropReference(key_, &count);
  }
  OpenKey(const OpenKey&) = delete;
  OpenKey& operator=(const OpenKey&) = delete;
  [[nodiscard]] const char* path() const { return key_ == nullptr ? nullptr : key_->path; }

 private:
  KeyObject* key_;
};

NTSTATUS OpenPath(const char* path, PHANDLE handle) {
  auto* const key = static_cast<KeyObject*>(CreateObject(ObjectKind::kKey, sizeof(KeyObject)));
  if (key == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  std::snprintf(key->path, sizeof(key->path), "%s", path);
  *handle = OpenHandle(key);
  return STATUS_SUCCESS;
}

// The path below the root directory's, folded.
NTSTATUS PathOf(const OBJECT_ATTRIBUTES& attributes, char (&path)[kLongestRegistryName], const char* function) {
  char name[kLongestRegistryName] = "";
  if (attributes.ObjectName != nullptr && !FoldName(*attributes.ObjectName, name)) return STATUS_OBJECT_NAME_INVALID;
  if (attributes.RootDirectory == nullptr) {
    std::memcpy(path, name, sizeof(path));
    return STATUS_SUCCESS;
  }
  const OpenKey root(attributes.RootDirectory, function);
  if (root.path() == nullptr) return STATUS_INVALID_HANDLE;
  const int length = std::snprintf(path, sizeof(path), "%s\\%s", root.path(), name);
  return length < static_cast<int>(sizeof(path)) ? STATUS_SUCCESS : STATUS_OBJECT_NAME_INVALID;
}

// Configured values are those of every device: "driver:NAME" and what is below has those of "driver". The caller holds the mutex.
bool ConfiguredPath(const char* path, char (&configured)[kLongestRegistryName]) {
  const char* const colon = std::strchr(path, ':');
  if (colon == nullptr) return false;
  const char* const rest = std::strchr(colon, '\\');
  std::snprintf(configured, sizeof(configured), "%.*s%s", static_cast<int>(colon - path), path, rest == nullptr ? "" : rest);
  return true;
}

bool HasKey(const char* path) {
  char configured[kLongestRegistryName];
  return registry.HasKey(path) || (ConfiguredPath(path, configured) && registry.HasKey(configured));
}

const Registry::Value* FindValue(const char* path, const char* name) {
  char configured[kLongestRegistryName];
  const Registry::Value* const own = registry.Find(path, name);
  return own == nullptr && ConfiguredPath(path, configured) ? registry.Find(configured, name) : own;
}

void FoldAscii(const char* text, char (&folded)[kLongestRegistryName]) {
  std::size_t i = 0;
  for (; text[i] != '\0' && i + 1 < kLongestRegistryName; ++i) {
    folded[i] = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
  }
  folded[i] = '\0';
}

// Copies as much as fits; `head` counts the bytes before the data.
NTSTATUS Answer(const Registry::Value& value, const UNICODE_STRING& name, KEY_VALUE_INFORMATION_CLASS kind, void* buffer,
                ULONG length, ULONG* needed) {
  auto* const bytes = static_cast<unsigned char*>(buffer);
  ULONG head = 0;
  switch (kind) {
    case KeyValuePartialInformation:
      head = offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data);
      *needed = head + value.bytes;
      break;
    case KeyValueFullInformation:
      head = offsetof(KEY_VALUE_FULL_INFORMATION, Name);
      *needed = head + name.Length + value.bytes;
      break;
    case KeyValueBasicInformation:
      head = offsetof(KEY_VALUE_BASIC_INFORMATION, Name);
      *needed = head + name.Length;
      break;
    default: return STATUS_INVALID_PARAMETER;
  }
  if (length < head) return STATUS_BUFFER_TOO_SMALL;
  if (kind == KeyValuePartialInformation) {
    const KEY_VALUE_PARTIAL_INFORMATION information{0, value.type, value.bytes, {}};
    std::memcpy(bytes, &information, head);
  } else if (kind == KeyValueFullInformation) {
    const KEY_VALUE_FULL_INFORMATION information{0, value.type, head + name.Length, value.bytes, name.Length, {}};
    std::memcpy(bytes, &information, head);
  } else {
    const KEY_VALUE_BASIC_INFORMATION information{0, value.type, name.Length, {}};
    std::memcpy(bytes, &information, head);
  }
  const auto put = [&](const void* data, ULONG size) {
    const ULONG fits = head + size <= length ? size : length - head;
    if (fits != 0) std::memcpy(bytes + head, data, fits);
    head += fits;
  };
  if (kind != KeyValuePartialInformation) put(name.Buffer, name.Length);
  if (kind != KeyValueBasicInformation) put(value.data, value.bytes);
  return *needed > length ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
}

}  // namespace

// The service's key has an empty path, which DriverEntry gets.
void BeginRegistry(const TANDEM_DRIVER_KERNEL& kernel) {
  constexpr char kService[] = "service";
  constexpr std::size_t kSize = offsetof(TANDEM_DRIVER_KERNEL, RegistryCount) + sizeof(kernel.RegistryCount);
  if (kernel.Size < kSize) return;
  const Locked locked(mutex);
  for (ULONG i = 0; i < kernel.RegistryCount; ++i) {
    const TANDEM_REGISTRY_VALUE& value = kernel.Registry[i];
    char key[kLongestRegistryName], name[kLongestRegistryName];
    FoldAscii(value.Key, key);
    FoldAscii(value.Name, name);
    const bool service = std::strncmp(key, kService, sizeof(kService) - 1) == 0;
    registry.Set(service ? key + sizeof(kService) - 1 : key, name, value.Type, value.Data, value.Bytes);
  }
}

void EndRegistry() {
  const Locked locked(mutex);
  registry.Clear();
}

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
    const Locked locked(mutex);
    if (path[0] != '\0' && !HasKey(path)) return STATUS_OBJECT_NAME_NOT_FOUND;
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
    const Locked locked(mutex);
    const bool existed = HasKey(path);
    if (!registry.CreateKey(path)) return STATUS_INSUFFICIENT_RESOURCES;
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
  if (!FoldName(*ValueName, name)) return STATUS_OBJECT_NAME_INVALID;
  const Locked locked(mutex);
  const Registry::Value* const value = FindValue(key.path(), name);
  if (value == nullptr) return STATUS_OBJECT_NAME_NOT_FOUND;
  return Answer(*value, *ValueName, KeyValueInformationClass, KeyValueInformation, Length, ResultLength);
}

NTSTATUS NTAPI ZwSetValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName, ULONG /*TitleIndex*/, ULONG Type, PVOID Data,
                             ULONG DataSize) {
  CheckIrql("ZwSetValueKey", PASSIVE_LEVEL);
  const OpenKey key(KeyHandle, "ZwSetValueKey");
  char name[kLongestRegistryName];
  if (key.path() == nullptr) return STATUS_INVALID_HANDLE;
  if (!FoldName(*ValueName, name)) return STATUS_OBJECT_NAME_INVALID;
  const Locked locked(mutex);
  return registry.Set(key.path(), name, Type, Data, DataSize) ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

NTSTATUS NTAPI ZwDeleteValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName) {
  CheckIrql("ZwDeleteValueKey", PASSIVE_LEVEL);
  const OpenKey key(KeyHandle, "ZwDeleteValueKey");
  char name[kLongestRegistryName];
  if (key.path() == nullptr) return STATUS_INVALID_HANDLE;
  if (!FoldName(*ValueName, name)) return STATUS_OBJECT_NAME_INVALID;
  const Locked locked(mutex);
  return registry.Remove(key.path(), name) ? STATUS_SUCCESS : STATUS_OBJECT_NAME_NOT_FOUND;
}
