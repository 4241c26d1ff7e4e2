#include "layer/handle_memory.h"

#include <cstdint>

namespace tandem::layer {

HandleMemory::HandleMemory(const VkAllocationCallbacks* callbacks) : callbacks_(callbacks) {
  if (callbacks == nullptr) return;
  address_ = callbacks->pfnAllocation(callbacks->pUserData, sizeof(std::uint64_t), alignof(std::uint64_t),
                                      VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
}

HandleMemory::~HandleMemory() { Free(callbacks_, address_); }

void HandleMemory::Free(const VkAllocationCallbacks* callbacks, void* address) {
  if (callbacks != nullptr && address != nullptr) callbacks->pfnFree(callbacks->pUserData, address);
}

}  // namespace tandem::layer
