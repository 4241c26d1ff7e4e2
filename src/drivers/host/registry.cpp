#include "drivers/host/registry.h"

#include <cstdlib>
#include <cstring>

#include <strings.h>

namespace tandem::drivers::host {
namespace {

void FreeValue(Registry::Value* value) {
  std::free(value->data);
  std::free(value);
}

void CopyName(char (&to)[kLongestRegistryName], const char* from) {
  const std::size_t length = strnlen(from, kLongestRegistryName - 1);
  std::memcpy(to, from, length);
  to[length] = '\0';
}

}  // namespace

Registry::Key* Registry::FindKey(const char* name) const {
  for (Key* key = keys_; key != nullptr; key = key->next) {
    if (strcasecmp(key->name, name) == 0) return key;
  }
  return nullptr;
}

bool Registry::HasKey(const char* name) const {
  const std::size_t length = std::strlen(name);
  for (const Key* key = keys_; key != nullptr; key = key->next) {
    if (strncasecmp(key->name, name, length) == 0 && (key->name[length] == '\0' || key->name[length] == '\\')) return true;
  }
  return false;
}

bool Registry::CreateKey(const char* name) {
  if (FindKey(name) != nullptr) return true;
  auto* const key = static_cast<Key*>(std::calloc(1, sizeof(Key)));
  if (key == nullptr) return false;
  CopyName(key->name, name);
  KeQuerySystemTime(&key->written);
  key->next = keys_;
  keys_ = key;
  return true;
}

const Registry::Value* Registry::Find(const char* key_name, const char* name) const {
  const Key* const key = FindKey(key_name);
  for (const Value* value = key == nullptr ? nullptr : key->values; value != nullptr; value = value->next) {
    if (strcasecmp(value->name, name) == 0) return value;
  }
  return nullptr;
}

const Registry::Value* Registry::First(const char* key_name) const {
  const Key* const key = FindKey(key_name);
  return key == nullptr ? nullptr : key->values;
}

bool Registry::NextSubkey(const char* key_name, const char* after, char (&name)[kLongestRegistryName]) const {
  const std::size_t length = std::strlen(key_name);
  bool found = false;
  for (const Key* key = keys_; key != nullptr; key = key->next) {
    if (strncasecmp(key->name, key_name, length) != 0 || key->name[length] != '\\') continue;
    char below[kLongestRegistryName];
    CopyName(below, key->name + length + 1);
    below[std::strcspn(below, "\\")] = '\0';
    if (length == 0 && strcasecmp(below, "Registry") == 0) continue;  // absolute paths begin with it
    if (strcasecmp(below, after) <= 0 || (found && strcasecmp(below, name) >= 0)) continue;
    CopyName(name, below);
    found = true;
  }
  return found;
}

LONGLONG Registry::LastWrite(const char* key_name) const {
  const Key* const key = FindKey(key_name);
  return key == nullptr ? 0 : key->written.QuadPart;
}

bool Registry::Set(const char* key_name, const char* name, ULONG type, const void* data, ULONG bytes) {
  auto* const copy = static_cast<unsigned char*>(std::malloc(bytes == 0 ? 1 : bytes));
  if (copy == nullptr || !CreateKey(key_name)) {
    std::free(copy);
    return false;
  }
  if (bytes != 0) std::memcpy(copy, data, bytes);
  Key* const key = FindKey(key_name);
  Value** link = &key->values;
  while (*link != nullptr && strcasecmp((*link)->name, name) != 0) link = &(*link)->next;
  if (*link == nullptr) {
    *link = static_cast<Value*>(std::calloc(1, sizeof(Value)));
    if (*link == nullptr) {
      std::free(copy);
      return false;
    }
    CopyName((*link)->name, name);
  }
  Value& value = **link;
  std::free(value.data);
  value.type = type;
  value.bytes = bytes;
  value.data = copy;
  KeQuerySystemTime(&key->written);
  return true;
}

bool Registry::Remove(const char* key_name, const char* name) {
  Key* const key = FindKey(key_name);
  if (key == nullptr) return false;
  for (Value** link = &key->values; *link != nullptr; link = &(*link)->next) {
    if (strcasecmp((*link)->name, name) != 0) continue;
    KeQuerySystemTime(&key->written);
    Value* const value = *link;
    *link = value->next;
    FreeValue(value);
    return true;
  }
  return false;
}

void Registry::Clear() {
  while (keys_ != nullptr) {
    Key* const key = keys_;
    keys_ = key->next;
    while (key->values != nullptr) {
      Value* const value = key->values;
      key->values = value->next;
      FreeValue(value);
    }
    std::free(key);
  }
}

bool ToAscii(const UNICODE_STRING& name, char (&ascii)[kLongestRegistryName]) {
  const std::size_t count = name.Length / sizeof(WCHAR);
  if (count >= kLongestRegistryName) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto unit = static_cast<unsigned>(name.Buffer[i]);
    ascii[i] = unit < 0x80 ? static_cast<char>(unit) : '?';
  }
  ascii[count] = '\0';
  return true;
}

}  // namespace tandem::drivers::host
