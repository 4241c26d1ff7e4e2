#include "layer/chain.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <sys/uio.h>
#include <unistd.h>

namespace tandem::layer {
namespace {

// The structure's size in bytes; 0 if this build does not know the type.
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

// Copies up to kUnknownBytes from `from`. The system call does the reading, because the memory after a structure may be
// unmapped.
void CopyReadable(std::byte* to, const void* from) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t in_first = std::min(kUnknownBytes, page - reinterpret_cast<std::uintptr_t>(from) % page);
  auto* const begin = static_cast<std::byte*>(const_cast<void*>(from));
  const iovec local{to, kUnknownBytes};
  const std::array<iovec, 2> pages{{{begin, in_first}, {begin + in_first, kUnknownBytes - in_first}}};
  if (process_vm_readv(getpid(), &local, 1, pages.data(), pages.size(), 0) >= static_cast<ssize_t>(in_first)) return;
  std::memcpy(to, from, in_first);  // a sandbox may refuse the call; the first page is always mapped
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
  for (const auto* item = static_cast<const VkBaseInStructure*>(chain); item != nullptr; item = item->pNext) {
    const std::size_t size = SizeOf(item->sType);
    copies_.push_back(std::make_unique<std::byte[]>(size == 0 ? kUnknownBytes : size));
    if (size == 0) {
      CopyReadable(copies_.back().get(), item);
    } else {
      std::memcpy(copies_.back().get(), item, size);
    }
    auto* const copy = reinterpret_cast<VkBaseInStructure*>(copies_.back().get());
    copy->pNext = nullptr;
    if (last == nullptr) {
      head_ = copy;
    } else {
      last->pNext = copy;
    }
    last = copy;
  }
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
