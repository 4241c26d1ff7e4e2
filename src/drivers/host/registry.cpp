#include "drivers/host/registry.h"

#include <cstdlib>
#include <cstring>

namespace tandem::drivers::host {
namespace {

void FreeValue(Registry::Value* value) {
  std::free(value->data);
  std::free(value);
}

void CopyName(char (&to)[kLongestRegistryName], const char* from) {
  std::strncpy(to, from, kLongestRegistryName - 1);
  to[kLongestRegistryName - 1] = '\0';
}

}  // namespace

Registry::Key* Registry::FindKey(const char* name) const {
  for (Key* key = keys_; key != nullptr; key = key->next) {
    if (std::strcmp(key->name, name) == 0) return key;
  }
  return nullptr;
}

bool Registry::HasKey(const char* key) const { return FindKey(key) != nullptr; }

bool Registry::CreateKey(const char* name) {
  if (FindKey(name) != nullptr) return true;
  auto* const key = static_cast<Key*>(std::calloc(1, sizeof(Key)));
  if (key == nullptr) return false;
  CopyName(key->name, name);
  key->next = keys_;
  keys_ = key;
  return true;
}

const Registry::Value* Registry::Find(const char* key_name, const char* name) const {
  const Key* const key = FindKey(key_name);
  for (const Value* value = key == nullptr ? nullptr : key->values; value != nullptr; value = value->next) {
    if (std::strcmp(value->name, name) == 0) return value;
  }
  return nullptr;
}

bool Registry::Set(const char* key_name, const char* name, ULONG type, const void* data, ULONG bytes) {
  auto* const value = static_cast<Value*>(std::calloc(1, sizeof(Value)));
  auto* const copy = static_cast<unsigned char*>(std::malloc(bytes == 0 ? 1 : bytes));
  if (value == nullptr || copy == nullptr || !CreateKey(key_name)) {
    std::free(value);
    std::free(copy);
    return false;
  }
  Remove(key_name, name);
  if (bytes != 0) std::memcpy(copy, data, bytes);
  value->type = type;
  value->bytes = bytes;
  value->data = copy;
  CopyName(value->name, name);
  Key* const key = FindKey(key_name);
  value->next = key->values;
  key->values = value;
  return true;
}

bool Registry::Remove(const char* key_name, const char* name) {
  Key* const key = FindKey(key_name);
  if (key == nullptr) return false;
  for (Value** link = &key->values; *link != nullptr; link = &(*link)->next) {
    if (std::strcmp((*link)->name, name) != 0) continue;
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

bool FoldName(const UNICODE_STRING& name, char (&folded)[kLongestRegistryName]) {
  const std::size_t count = name.Length / sizeof(WCHAR);
  if (count >= kLongestRegistryName) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto unit = static_cast<unsigned>(name.Buffer[i]);
    folded[i] = unit >= 'A' && unit <= 'Z' ? static_cast<char>(unit + 32) : unit < 0x80 ? static_cast<char>(unit) : '?';
  }
  folded[count] = '\0';
  return true;
}

}  // namespace tandem::drivers::host
