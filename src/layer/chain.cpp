#include "layer/chain.h"

#include <algorithm>
#include <cstring>

namespace tandem::layer {
namespace {

// Bytes of the structure; 0 for one that this build does not know.
std::size_t SizeOf(VkStructureType type) {
  switch (static_cast<int>(type)) {
    case VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO: return sizeof(VkLayerDeviceCreateInfo);
#define TANDEM_CHAINED(value, structure) \
  case value:                            \
    return sizeof(structure);
#include "layer/chain_sizes.inc"
#undef TANDEM_CHAINED
    default: return 0;
  }
}

}  // namespace

const void* FindInChain(const void* chain, VkStructureType type) {
  for (const auto* item = static_cast<const VkBaseInStructure*>(chain); item != nullptr; item = item->pNext) {
    if (item->sType == type) return item;
  }
  return nullptr;
}

ChainCopy::ChainCopy(const void* chain) {
  VkBaseInStructure* last = nullptr;
  const auto* item = static_cast<const VkBaseInStructure*>(chain);
  const auto append = [&](const VkBaseInStructure* next) {
    if (last == nullptr) {
      head_ = next;
    } else {
      last->pNext = next;
    }
  };
  for (; item != nullptr; item = item->pNext) {
    const std::size_t size = SizeOf(item->sType);
    if (size == 0) break;
    copies_.push_back(std::make_unique<std::byte[]>(size));
    std::memcpy(copies_.back().get(), item, size);
    auto* copy = reinterpret_cast<VkBaseInStructure*>(copies_.back().get());
    append(copy);
    last = copy;
  }
  append(item);
}

void* ChainCopy::FindCopied(VkStructureType type) {
  for (const auto& copy : copies_) {
    if (reinterpret_cast<VkBaseInStructure*>(copy.get())->sType == type) return copy.get();
  }
  return nullptr;
}

void ChainCopy::Remove(VkStructureType type) {
  const auto* const gone = static_cast<const VkBaseInStructure*>(FindCopied(type));
  if (gone == nullptr) return;
  if (head_ == gone) head_ = gone->pNext;
  for (const auto& copy : copies_) {
    auto* const item = reinterpret_cast<VkBaseInStructure*>(copy.get());
    if (item->pNext == gone) item->pNext = gone->pNext;
  }
  std::erase_if(copies_, [gone](const auto& copy) { return static_cast<const void*>(copy.get()) == gone; });
}

}  // namespace tandem::layer
