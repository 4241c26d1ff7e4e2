// The registry by paths and tables: each function opens the key that RelativeTo and Path name, and works with its values.
#include <ntddk.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "drivers/host/kernel.h"

using namespace tandem::drivers::host;

namespace {

constexpr SIZE_T kLongestPath = 256;
constexpr ULONG kFlags = RTL_REGISTRY_HANDLE | RTL_REGISTRY_OPTIONAL;

const WCHAR* RootOf(ULONG relative_to) {
  switch (relative_to) {
    case RTL_REGISTRY_ABSOLUTE: return u"";
    case RTL_REGISTRY_SERVICES: return u"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\";
    case RTL_REGISTRY_CONTROL: return u"\\Registry\\Machine\\System\\CurrentControlSet\\Control\\";
    case RTL_REGISTRY_WINDOWS_NT: return u"\\Registry\\Machine\\Software\\Microsoft\\Windows NT\\CurrentVersion\\";
    case RTL_REGISTRY_DEVICEMAP: return u"\\Registry\\Machine\\Hardware\\DeviceMap\\";
    case RTL_REGISTRY_USER: return u"\\Registry\\User\\CurrentUser\\";
    default: return nullptr;
  }
}

class Path {
 public:
  bool Append(const WCHAR* text) {
    for (; *text != 0; ++text) {
      if (length_ == kLongestPath) return false;
      units_[length_++] = *text;
    }
    return true;
  }
  UNICODE_STRING Text() {
    const auto bytes = static_cast<USHORT>(length_ * sizeof(WCHAR));
    return UNICODE_STRING{bytes, bytes, units_};
  }

 private:
  WCHAR units_[kLongestPath];
  SIZE_T length_ = 0;
};

// A key that is closed with its scope, unless the caller brought the handle.
class Key {
 public:
  Key() = default;
  ~Key() {
    if (own_) ZwClose(handle_);
  }
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  [[nodiscard]] HANDLE handle() const { return handle_; }

  NTSTATUS Open(ULONG relative_to, const WCHAR* path, bool create) {
    if ((relative_to & RTL_REGISTRY_HANDLE) != 0) {
      handle_ = reinterpret_cast<HANDLE>(const_cast<WCHAR*>(path));
      return STATUS_SUCCESS;
    }
    const WCHAR* const root = RootOf(relative_to & ~kFlags);
    if (root == nullptr) return STATUS_INVALID_PARAMETER;
    Path whole;
    if (!whole.Append(root) || (path != nullptr && !whole.Append(path))) return STATUS_OBJECT_NAME_INVALID;
    return Open(nullptr, whole.Text(), create);
  }
  NTSTATUS Open(HANDLE below, UNICODE_STRING name, bool create) {
    OBJECT_ATTRIBUTES attributes;
    InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, below, nullptr);
    HANDLE handle = nullptr;
    const NTSTATUS status = create ? ZwCreateKey(&handle, KEY_ALL_ACCESS, &attributes, 0, nullptr, 0, nullptr)
                                   : ZwOpenKey(&handle, KEY_READ, &attributes);
    if (!NT_SUCCESS(status)) return status;
    if (own_) ZwClose(handle_);
    own_ = true;
    handle_ = handle;
    return status;
  }

 private:
  HANDLE handle_ = nullptr;
  bool own_ = false;
};

// A value's bytes, and two null characters behind them.
struct Value {
  ULONG type = REG_NONE;
  ULONG bytes = 0;
  unsigned char* data = nullptr;

  Value() = default;
  ~Value() { std::free(data); }
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;

  NTSTATUS Set(ULONG kind, const void* source, ULONG size) {
    data = static_cast<unsigned char*>(std::calloc(1, SIZE_T{size} + 2 * sizeof(WCHAR)));
    if (data == nullptr) return STATUS_NO_MEMORY;
    if (size != 0) std::memcpy(data, source, size);
    type = kind;
    bytes = size;
    return STATUS_SUCCESS;
  }
};

NTSTATUS ReadValue(HANDLE key, PWSTR name, Value& value) {
  UNICODE_STRING text;
  RtlInitUnicodeString(&text, name);
  ULONG needed = 0;
  KEY_VALUE_PARTIAL_INFORMATION head{};
  NTSTATUS status = ZwQueryValueKey(key, &text, KeyValuePartialInformation, &head, sizeof(head), &needed);
  if (status != STATUS_BUFFER_OVERFLOW && status != STATUS_BUFFER_TOO_SMALL && !NT_SUCCESS(status)) return status;
  const ULONG size = needed < sizeof(head) ? ULONG{sizeof(head)} : needed;
  auto* const whole = static_cast<KEY_VALUE_PARTIAL_INFORMATION*>(std::calloc(1, size));
  if (whole == nullptr) return STATUS_NO_MEMORY;
  status = ZwQueryValueKey(key, &text, KeyValuePartialInformation, whole, size, &needed);
  if (NT_SUCCESS(status)) status = value.Set(whole->Type, whole->Data, whole->DataLength);
  std::free(whole);
  return status;
}

bool IsString(ULONG type) { return type == REG_SZ || type == REG_EXPAND_SZ || type == REG_MULTI_SZ; }

// Bytes of a default string up to its null character; of a list up to its second one.
ULONG DefaultBytes(const RTL_QUERY_REGISTRY_TABLE& entry) {
  if (entry.DefaultLength != 0 || !IsString(entry.DefaultType)) return entry.DefaultLength;
  const auto* const units = static_cast<const WCHAR*>(entry.DefaultData);
  ULONG count = 0;
  while (units[count] != 0 || (entry.DefaultType == REG_MULTI_SZ && units[count + 1] != 0)) ++count;
  return (count + (entry.DefaultType == REG_MULTI_SZ ? 2u : 1u)) * ULONG{sizeof(WCHAR)};
}

// A string goes into a UNICODE_STRING, with memory where it has none; a ULONG's worth of bytes into the place itself; more bytes
// into a buffer that begins with its size, negative, or into one that has size and type put before them.
NTSTATUS StoreDirect(const Value& value, PVOID place) {
  if (IsString(value.type)) {
    auto* const string = static_cast<PUNICODE_STRING>(place);
    if (value.bytes > MAXUSHORT) return STATUS_BUFFER_TOO_SMALL;
    if (string->Buffer == nullptr) {
      string->Buffer = static_cast<PWSTR>(ExAllocatePoolWithTag(PagedPool, value.bytes + sizeof(WCHAR), 0x67657252));  // 'Rreg'
      if (string->Buffer == nullptr) return STATUS_NO_MEMORY;
      string->MaximumLength = static_cast<USHORT>(value.bytes);
    } else if (value.bytes > string->MaximumLength) {
      return STATUS_BUFFER_TOO_SMALL;
    }
    std::memcpy(string->Buffer, value.data, value.bytes);
    const bool ended = value.bytes >= sizeof(WCHAR) && value.data[value.bytes - 1] == 0 && value.data[value.bytes - 2] == 0;
    string->Length = static_cast<USHORT>(value.bytes - (ended ? sizeof(WCHAR) : 0));
    return STATUS_SUCCESS;
  }
  if (value.bytes <= sizeof(ULONG)) {
    std::memcpy(place, value.data, value.bytes);
    return STATUS_SUCCESS;
  }
  auto* const words = static_cast<PULONG>(place);
  const auto first = static_cast<LONG>(words[0]);
  if (first < 0) {
    if (static_cast<ULONG>(-first) < value.bytes) return STATUS_BUFFER_TOO_SMALL;
    std::memcpy(place, value.data, value.bytes);
    return STATUS_SUCCESS;
  }
  if (words[0] < value.bytes + 2 * sizeof(ULONG)) return STATUS_BUFFER_TOO_SMALL;
  words[0] = value.bytes;
  words[1] = value.type;
  std::memcpy(words + 2, value.data, value.bytes);
  return STATUS_SUCCESS;
}

// A list goes to the routine one string at a time.
NTSTATUS CallRoutine(const RTL_QUERY_REGISTRY_TABLE& entry, PWSTR name, Value& value, PVOID context) {
  if (value.type != REG_MULTI_SZ || (entry.Flags & RTL_QUERY_REGISTRY_NOEXPAND) != 0) {
    return entry.QueryRoutine(name, value.type, value.data, value.bytes, context, entry.EntryContext);
  }
  auto* string = reinterpret_cast<PWSTR>(value.data);
  NTSTATUS status = STATUS_SUCCESS;
  while (NT_SUCCESS(status) && *string != 0) {
    SIZE_T count = 1;
    while (string[count - 1] != 0) ++count;
    status = entry.QueryRoutine(name, REG_SZ, string, static_cast<ULONG>(count * sizeof(WCHAR)), context, entry.EntryContext);
    string += count;
  }
  return status;
}

NTSTATUS Answer(HANDLE key, const RTL_QUERY_REGISTRY_TABLE& entry, PVOID context) {
  Value value;
  NTSTATUS status = ReadValue(key, entry.Name, value);
  if (status == STATUS_OBJECT_NAME_NOT_FOUND) {
    if ((entry.Flags & RTL_QUERY_REGISTRY_REQUIRED) != 0) return status;
    if ((entry.DefaultType & 0xFFFFFF) == REG_NONE || entry.DefaultData == nullptr) return STATUS_SUCCESS;
    RTL_QUERY_REGISTRY_TABLE usual = entry;
    usual.DefaultType &= 0xFFFFFF;
    status = value.Set(usual.DefaultType, usual.DefaultData, DefaultBytes(usual));
  }
  if (!NT_SUCCESS(status)) return status;
  if ((entry.Flags & RTL_QUERY_REGISTRY_DIRECT) == 0) {
    status = CallRoutine(entry, entry.Name, value, context);
  } else {
    const ULONG expected = entry.DefaultType >> RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
    const bool checks = (entry.Flags & RTL_QUERY_REGISTRY_TYPECHECK) != 0;
    if (checks && expected != value.type) return STATUS_OBJECT_TYPE_MISMATCH;
    status = StoreDirect(value, entry.EntryContext);
  }
  if (NT_SUCCESS(status) && (entry.Flags & RTL_QUERY_REGISTRY_DELETE) != 0) {
    UNICODE_STRING name;
    RtlInitUnicodeString(&name, entry.Name);
    ZwDeleteValueKey(key, &name);
  }
  return status;
}

// Reads the value with number `index`, and its name with a null character.
NTSTATUS ReadValueAt(HANDLE key, ULONG index, WCHAR (&name)[kLongestPath + 1], Value& value) {
  ULONG needed = 0;
  KEY_VALUE_FULL_INFORMATION head{};
  NTSTATUS status = ZwEnumerateValueKey(key, index, KeyValueFullInformation, &head, sizeof(head), &needed);
  if (status != STATUS_BUFFER_OVERFLOW && !NT_SUCCESS(status)) return status;
  const ULONG size = needed < sizeof(head) ? ULONG{sizeof(head)} : needed;
  auto* const whole = static_cast<KEY_VALUE_FULL_INFORMATION*>(std::calloc(1, size));
  if (whole == nullptr) return STATUS_NO_MEMORY;
  status = ZwEnumerateValueKey(key, index, KeyValueFullInformation, whole, size, &needed);
  if (NT_SUCCESS(status)) {
    const ULONG bytes = whole->NameLength < sizeof(name) ? whole->NameLength : ULONG{kLongestPath * sizeof(WCHAR)};
    std::memcpy(name, whole->Name, bytes);
    name[bytes / sizeof(WCHAR)] = 0;
    status = value.Set(whole->Type, reinterpret_cast<unsigned char*>(whole) + whole->DataOffset, whole->DataLength);
  }
  std::free(whole);
  return status;
}

// Calls the routine for each value of a key. STATUS_OBJECT_NAME_NOT_FOUND for a required one where there is none.
NTSTATUS AnswerAll(HANDLE key, const RTL_QUERY_REGISTRY_TABLE& entry, PVOID context) {
  const bool deletes = (entry.Flags & RTL_QUERY_REGISTRY_DELETE) != 0;
  bool found = false;
  for (ULONG index = 0;; found = true) {
    WCHAR name[kLongestPath + 1];
    Value value;
    NTSTATUS status = ReadValueAt(key, index, name, value);
    if (status == STATUS_NO_MORE_ENTRIES) break;
    if (NT_SUCCESS(status)) status = CallRoutine(entry, name, value, context);
    if (!NT_SUCCESS(status)) return status;
    UNICODE_STRING text;
    RtlInitUnicodeString(&text, name);
    if (!deletes || !NT_SUCCESS(ZwDeleteValueKey(key, &text))) ++index;
  }
  return found || (entry.Flags & RTL_QUERY_REGISTRY_REQUIRED) == 0 ? STATUS_SUCCESS : STATUS_OBJECT_NAME_NOT_FOUND;
}

}  // namespace

NTSTATUS NTAPI RtlQueryRegistryValues(ULONG RelativeTo, PCWSTR Path, PRTL_QUERY_REGISTRY_TABLE QueryTable, PVOID Context,
                                      PVOID /*Environment*/) {
  CheckIrql("RtlQueryRegistryValues", PASSIVE_LEVEL);
  Key top, below;
  NTSTATUS status = top.Open(RelativeTo, Path, false);
  if (!NT_SUCCESS(status)) return (RelativeTo & RTL_REGISTRY_OPTIONAL) != 0 ? STATUS_SUCCESS : status;
  HANDLE key = top.handle();
  for (PRTL_QUERY_REGISTRY_TABLE entry = QueryTable; NT_SUCCESS(status); ++entry) {
    const bool direct = (entry->Flags & RTL_QUERY_REGISTRY_DIRECT) != 0;
    const bool moves = (entry->Flags & (RTL_QUERY_REGISTRY_SUBKEY | RTL_QUERY_REGISTRY_TOPKEY)) != 0;
    if (entry->QueryRoutine == nullptr && !direct && !moves) break;
    if (direct && (entry->Name == nullptr || entry->QueryRoutine != nullptr || (entry->Flags & RTL_QUERY_REGISTRY_SUBKEY) != 0)) {
      return STATUS_INVALID_PARAMETER;
    }
    if (moves) key = top.handle();
    if ((entry->Flags & RTL_QUERY_REGISTRY_SUBKEY) != 0) {
      if (entry->Name == nullptr) return STATUS_INVALID_PARAMETER;
      UNICODE_STRING name;
      RtlInitUnicodeString(&name, entry->Name);
      status = below.Open(top.handle(), name, false);
      key = below.handle();
      if (NT_SUCCESS(status) && entry->QueryRoutine != nullptr) status = AnswerAll(key, *entry, Context);
      continue;
    }
    if ((entry->Flags & RTL_QUERY_REGISTRY_NOVALUE) != 0 && entry->QueryRoutine != nullptr) {
      status = entry->QueryRoutine(entry->Name, REG_NONE, nullptr, 0, Context, entry->EntryContext);
    } else if (entry->Name != nullptr) {
      status = Answer(key, *entry, Context);
    } else if (entry->QueryRoutine != nullptr) {
      status = AnswerAll(key, *entry, Context);
    }
  }
  return status;
}

NTSTATUS NTAPI RtlWriteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName, ULONG ValueType, PVOID ValueData,
                                     ULONG ValueLength) {
  CheckIrql("RtlWriteRegistryValue", PASSIVE_LEVEL);
  Key key;
  const NTSTATUS status = key.Open(RelativeTo, Path, true);
  if (!NT_SUCCESS(status)) return status;
  UNICODE_STRING name;
  RtlInitUnicodeString(&name, ValueName);
  return ZwSetValueKey(key.handle(), &name, 0, ValueType, ValueData, ValueLength);
}

NTSTATUS NTAPI RtlDeleteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName) {
  CheckIrql("RtlDeleteRegistryValue", PASSIVE_LEVEL);
  Key key;
  const NTSTATUS status = key.Open(RelativeTo, Path, false);
  if (!NT_SUCCESS(status)) return status;
  UNICODE_STRING name;
  RtlInitUnicodeString(&name, ValueName);
  return ZwDeleteValueKey(key.handle(), &name);
}

NTSTATUS NTAPI RtlCheckRegistryKey(ULONG RelativeTo, PWSTR Path) {
  CheckIrql("RtlCheckRegistryKey", PASSIVE_LEVEL);
  Key key;
  return key.Open(RelativeTo, Path, false);
}

NTSTATUS NTAPI RtlCreateRegistryKey(ULONG RelativeTo, PWSTR Path) {
  CheckIrql("RtlCreateRegistryKey", PASSIVE_LEVEL);
  Key key;
  return key.Open(RelativeTo, Path, true);
}
