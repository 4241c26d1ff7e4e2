// The registry as a driver's handles see it: what the driver has set, and below that the values that are configured for every
// device.
#pragma once

#include <ntddk.h>

#include "drivers/host/objects.h"
#include "drivers/host/registry.h"

namespace tandem::drivers::host {

struct KeyObject {
  char path[kLongestRegistryName];
};

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

// Holds the registry's lock while it lives.
class RegistryView {
 public:
  RegistryView();
  ~RegistryView();
  RegistryView(const RegistryView&) = delete;
  RegistryView& operator=(const RegistryView&) = delete;

  // What the driver has set.
  [[nodiscard]] Registry& own();
  [[nodiscard]] bool HasKey(const char* path);
  [[nodiscard]] const Registry::Value* Find(const char* path, const char* name);
  // The value or the key below `path` with this number; null, false: there are fewer.
  [[nodiscard]] const Registry::Value* ValueAt(const char* path, ULONG index);
  bool SubkeyAt(const char* path, ULONG index, char (&name)[kLongestRegistryName]);
  [[nodiscard]] LONGLONG LastWrite(const char* path);
};

// The answer to a query: `head`, an ASCII name as UTF-16, and data, as far as they fit. STATUS_BUFFER_TOO_SMALL when the head
// does not, STATUS_BUFFER_OVERFLOW when the rest does not; `needed` is the size of all.
struct QueryAnswer {
  const void* head = nullptr;
  ULONG head_bytes = 0;
  const char* name = "";
  const void* data = nullptr;
  ULONG data_bytes = 0;
};
NTSTATUS Put(const QueryAnswer& answer, PVOID buffer, ULONG length, PULONG needed);

// A value as a KEY_VALUE_INFORMATION_CLASS has it.
NTSTATUS PutValue(const Registry::Value& value, KEY_VALUE_INFORMATION_CLASS kind, PVOID buffer, ULONG length, PULONG needed);

}  // namespace tandem::drivers::host
