#include "layer/host_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <malloc.h>

namespace tandem::layer {
namespace {

VKAPI_ATTR void* VKAPI_CALL Allocate(void* /*user*/, std::size_t size, std::size_t alignment, VkSystemAllocationScope /*scope*/) {
  void* memory = nullptr;
  return posix_memalign(&memory, std::max(alignment, sizeof(void*)), size) == 0 ? memory : nullptr;
}

VKAPI_ATTR void VKAPI_CALL Free(void* /*user*/, void* memory) { std::free(memory); }

// The driver passes the alignment of the first allocation again.
VKAPI_ATTR void* VKAPI_CALL Reallocate(void* user, void* original, std::size_t size, std::size_t alignment,
                                       VkSystemAllocationScope scope) {
  if (size == 0) {
    Free(user, original);
    return nullptr;
  }
  if (alignment <= alignof(std::max_align_t)) return std::realloc(original, size);
  void* const moved = Allocate(user, size, alignment, scope);
  if (moved == nullptr || original == nullptr) return moved;
  std::memcpy(moved, original, std::min(size, malloc_usable_size(original)));
  Free(user, original);
  return moved;
}

}  // namespace

const VkAllocationCallbacks& OwnHostMemory() {
  static constexpr VkAllocationCallbacks kOwn{nullptr, &Allocate, &Reallocate, &Free, nullptr, nullptr};
  return kOwn;
}

}  // namespace tandem::layer
