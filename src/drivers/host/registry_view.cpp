#include "drivers/host/registry_view.h"

#include <cstdio>
#include <cstring>

#include "drivers/host/leftovers.h"
#include "drivers/host/lock.h"

#include <strings.h>

namespace tandem::drivers::host {
namespace {

constinit Mutex mutex;
constinit Registry registry;

// Configured values are those of every device: "driver:NAME" and what is below has those of "driver".
bool ConfiguredPath(const char* path, char (&configured)[kLongestRegistryName]) {
  const char* const colon = std::strchr(path, ':');
  if (colon == nullptr) return false;
  const char* const rest = std::strchr(colon, '\\');
  std::snprintf(configured, sizeof(configured), "%.*s%s", static_cast<int>(colon - path), path, rest == nullptr ? "" : rest);
  return true;
}

}  // namespace

RegistryView::RegistryView() { pthread_mutex_lock(&mutex.native); }

RegistryView::~RegistryView() { pthread_mutex_unlock(&mutex.native); }

Registry& RegistryView::own() { return registry; }

bool RegistryView::HasKey(const char* path) {
  char configured[kLongestRegistryName];
  return registry.HasKey(path) || (ConfiguredPath(path, configured) && registry.HasKey(configured));
}

const Registry::Value* RegistryView::Find(const char* path, const char* name) {
  char configured[kLongestRegistryName];
  const Registry::Value* const own = registry.Find(path, name);
  return own == nullptr && ConfiguredPath(path, configured) ? registry.Find(configured, name) : own;
}

const Registry::Value* RegistryView::ValueAt(const char* path, ULONG index) {
  const Registry::Value* value = registry.First(path);
  for (; value != nullptr && index != 0; value = value->next) --index;
  char configured[kLongestRegistryName];
  if (value != nullptr || !ConfiguredPath(path, configured)) return value;
  for (value = registry.First(configured); value != nullptr; value = value->next) {
    if (registry.Find(path, value->name) != nullptr) continue;
    if (index-- == 0) return value;
  }
  return nullptr;
}

bool RegistryView::SubkeyAt(const char* path, ULONG index, char (&name)[kLongestRegistryName]) {
  char configured[kLongestRegistryName];
  const bool has_configured = ConfiguredPath(path, configured);
  char after[kLongestRegistryName] = "";
  for (;;) {
    char other[kLongestRegistryName];
    const bool found = registry.NextSubkey(path, after, name);
    const bool found_other = has_configured && registry.NextSubkey(configured, after, other);
    if (!found && !found_other) return false;
    if (!found || (found_other && strcasecmp(other, name) < 0)) std::memcpy(name, other, sizeof(name));
    if (index-- == 0) return true;
    std::memcpy(after, name, sizeof(after));
  }
}

LONGLONG RegistryView::LastWrite(const char* path) {
  char configured[kLongestRegistryName];
  const LONGLONG own = registry.LastWrite(path);
  return own == 0 && ConfiguredPath(path, configured) ? registry.LastWrite(configured) : own;
}

NTSTATUS Put(const QueryAnswer& answer, PVOID buffer, ULONG length, PULONG needed) {
  auto* const bytes = static_cast<unsigned char*>(buffer);
  const std::size_t letters = std::strlen(answer.name);
  const ULONG name_end = answer.head_bytes + static_cast<ULONG>(letters * sizeof(WCHAR));
  *needed = name_end + answer.data_bytes;
  if (length < answer.head_bytes) return STATUS_BUFFER_TOO_SMALL;
  std::memcpy(bytes, answer.head, answer.head_bytes);
  for (std::size_t i = 0; i < letters && answer.head_bytes + (i + 1) * sizeof(WCHAR) <= length; ++i) {
    const auto letter = static_cast<WCHAR>(answer.name[i]);
    std::memcpy(bytes + answer.head_bytes + i * sizeof(WCHAR), &letter, sizeof(letter));
  }
  if (answer.data_bytes != 0 && length > name_end) {
    std::memcpy(bytes + name_end, answer.data, length - name_end < answer.data_bytes ? length - name_end : answer.data_bytes);
  }
  return *needed > length ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
}

NTSTATUS PutValue(const Registry::Value& value, KEY_VALUE_INFORMATION_CLASS kind, PVOID buffer, ULONG length, PULONG needed) {
  const auto name_bytes = static_cast<ULONG>(std::strlen(value.name) * sizeof(WCHAR));
  switch (kind) {
    case KeyValuePartialInformation: {
      const KEY_VALUE_PARTIAL_INFORMATION head{0, value.type, value.bytes, {}};
      return Put({&head, offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data), "", value.data, value.bytes}, buffer, length, needed);
    }
    case KeyValueFullInformation: {
      constexpr ULONG kHead = offsetof(KEY_VALUE_FULL_INFORMATION, Name);
      const KEY_VALUE_FULL_INFORMATION head{0, value.type, kHead + name_bytes, value.bytes, name_bytes, {}};
      return Put({&head, kHead, value.name, value.data, value.bytes}, buffer, length, needed);
    }
    case KeyValueBasicInformation: {
      const KEY_VALUE_BASIC_INFORMATION head{0, value.type, name_bytes, {}};
      return Put({&head, offsetof(KEY_VALUE_BASIC_INFORMATION, Name), value.name, nullptr, 0}, buffer, length, needed);
    }
    default: return STATUS_INVALID_PARAMETER;
  }
}

// The service's key has an empty path, which DriverEntry gets.
void BeginRegistry(const TANDEM_DRIVER_KERNEL& kernel) {
  constexpr char kService[] = "service";
  constexpr std::size_t kSize = offsetof(TANDEM_DRIVER_KERNEL, RegistryCount) + sizeof(kernel.RegistryCount);
  if (kernel.Size < kSize) return;
  const Locked locked(mutex);
  for (ULONG i = 0; i < kernel.RegistryCount; ++i) {
    const TANDEM_REGISTRY_VALUE& value = kernel.Registry[i];
    const bool service = std::strncmp(value.Key, kService, sizeof(kService) - 1) == 0;
    registry.Set(service ? value.Key + sizeof(kService) - 1 : value.Key, value.Name, value.Type, value.Data, value.Bytes);
  }
}

void EndRegistry() {
  const Locked locked(mutex);
  registry.Clear();
}

}  // namespace tandem::drivers::host
