#include "drivers/common/escapes.h"

#include <cstring>

namespace tandem::drivers {

NTSTATUS TouchBackingStore(BackingStoreEscape& escape, std::byte* store, std::uint64_t bytes) {
  if (store == nullptr) return STATUS_NOT_SUPPORTED;
  if (bytes < sizeof(escape.value) || escape.offset > bytes - sizeof(escape.value)) return STATUS_INVALID_PARAMETER;
  if (escape.access == BackingStoreAccess::kWrite) {
    std::memcpy(store + escape.offset, &escape.value, sizeof(escape.value));
  } else {
    std::memcpy(&escape.value, store + escape.offset, sizeof(escape.value));
  }
  return STATUS_SUCCESS;
}

}  // namespace tandem::drivers
