// What a key has, and what lies right below it. Values come in the order that they were set in, keys in that of the alphabet.
#include <ntddk.h>

#include <cstring>

#include "drivers/host/kernel.h"
#include "drivers/host/registry_view.h"

namespace tandem::drivers::host {
namespace {

ULONG WideBytes(const char* name) { return static_cast<ULONG>(std::strlen(name) * sizeof(WCHAR)); }

// KEY_FULL_INFORMATION and KEY_CACHED_INFORMATION have these in common.
struct Contents {
  ULONG subkeys = 0, longest_subkey = 0;                       // bytes of a name
  ULONG values = 0, longest_value_name = 0, longest_data = 0;  // bytes
};

Contents ContentsOf(RegistryView& registry, const char* path) {
  Contents contents;
  const auto raise = [](ULONG& most, ULONG bytes) { most = bytes > most ? bytes : most; };
  char name[kLongestRegistryName];
  for (; registry.SubkeyAt(path, contents.subkeys, name); ++contents.subkeys) raise(contents.longest_subkey, WideBytes(name));
  while (const Registry::Value* const value = registry.ValueAt(path, contents.values)) {
    raise(contents.longest_value_name, WideBytes(value->name));
    raise(contents.longest_data, value->bytes);
    ++contents.values;
  }
  return contents;
}

// `path` and the last part of it as `name`.
NTSTATUS PutKey(RegistryView& registry, const char* path, const char* name, KEY_INFORMATION_CLASS kind, PVOID buffer,
                ULONG length, PULONG needed) {
  LARGE_INTEGER written;
  written.QuadPart = registry.LastWrite(path);
  switch (kind) {
    case KeyBasicInformation: {
      const KEY_BASIC_INFORMATION head{written, 0, WideBytes(name), {}};
      return Put({&head, offsetof(KEY_BASIC_INFORMATION, Name), name, nullptr, 0}, buffer, length, needed);
    }
    case KeyNodeInformation: {
      const KEY_NODE_INFORMATION head{written, 0, MAXULONG, 0, WideBytes(name), {}};
      return Put({&head, offsetof(KEY_NODE_INFORMATION, Name), name, nullptr, 0}, buffer, length, needed);
    }
    case KeyFullInformation: {
      const Contents has = ContentsOf(registry, path);
      const KEY_FULL_INFORMATION head{
          written, 0, MAXULONG, 0, has.subkeys, has.longest_subkey, 0, has.values, has.longest_value_name, has.longest_data, {}};
      return Put({&head, offsetof(KEY_FULL_INFORMATION, Class), "", nullptr, 0}, buffer, length, needed);
    }
    case KeyCachedInformation: {
      const Contents has = ContentsOf(registry, path);
      const KEY_CACHED_INFORMATION head{
          written, 0, has.subkeys, has.longest_subkey, has.values, has.longest_value_name, has.longest_data, WideBytes(name)};
      return Put({&head, sizeof(head), "", nullptr, 0}, buffer, length, needed);
    }
    case KeyNameInformation: {
      const KEY_NAME_INFORMATION head{WideBytes(path), {}};
      return Put({&head, offsetof(KEY_NAME_INFORMATION, Name), path, nullptr, 0}, buffer, length, needed);
    }
    default: return STATUS_INVALID_PARAMETER;
  }
}

}  // namespace
}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

NTSTATUS NTAPI ZwEnumerateKey(HANDLE KeyHandle, ULONG Index, KEY_INFORMATION_CLASS KeyInformationClass, PVOID KeyInformation,
                              ULONG Length, PULONG ResultLength) {
  CheckIrql("ZwEnumerateKey", PASSIVE_LEVEL);
  const OpenKey key(KeyHandle, "ZwEnumerateKey");
  if (key.path() == nullptr) return STATUS_INVALID_HANDLE;
  const bool of_subkeys = KeyInformationClass == KeyBasicInformation || KeyInformationClass == KeyNodeInformation ||
                          KeyInformationClass == KeyFullInformation;
  if (!of_subkeys) return STATUS_INVALID_PARAMETER;
  RegistryView registry;
  char name[kLongestRegistryName], path[2 * kLongestRegistryName];
  if (!registry.SubkeyAt(key.path(), Index, name)) return STATUS_NO_MORE_ENTRIES;
  std::strcpy(path, key.path());
  std::strcat(path, "\\");
  std::strcat(path, name);
  return PutKey(registry, path, name, KeyInformationClass, KeyInformation, Length, ResultLength);
}

NTSTATUS NTAPI ZwQueryKey(HANDLE KeyHandle, KEY_INFORMATION_CLASS KeyInformationClass, PVOID KeyInformation, ULONG Length,
                          PULONG ResultLength) {
  CheckIrql("ZwQueryKey", PASSIVE_LEVEL);
  const OpenKey key(KeyHandle, "ZwQueryKey");
  if (key.path() == nullptr) return STATUS_INVALID_HANDLE;
  RegistryView registry;
  const char* const last = std::strrchr(key.path(), '\\');
  const char* const name = last == nullptr ? key.path() : last + 1;
  return PutKey(registry, key.path(), name, KeyInformationClass, KeyInformation, Length, ResultLength);
}

NTSTATUS NTAPI ZwEnumerateValueKey(HANDLE KeyHandle, ULONG Index, KEY_VALUE_INFORMATION_CLASS KeyValueInformationClass,
                                   PVOID KeyValueInformation, ULONG Length, PULONG ResultLength) {
  CheckIrql("ZwEnumerateValueKey", PASSIVE_LEVEL);
  const OpenKey key(KeyHandle, "ZwEnumerateValueKey");
  if (key.path() == nullptr) return STATUS_INVALID_HANDLE;
  RegistryView registry;
  const Registry::Value* const value = registry.ValueAt(key.path(), Index);
  if (value == nullptr) return STATUS_NO_MORE_ENTRIES;
  return PutValue(*value, KeyValueInformationClass, KeyValueInformation, Length, ResultLength);
}
