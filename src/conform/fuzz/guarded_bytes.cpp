#include "conform/fuzz/guarded_bytes.h"

#include <algorithm>
#include <bit>
#include <vector>

#include <sys/mman.h>

#include "base/memory_map.h"
#include "base/thread.h"

namespace tandem::conform {
namespace {

constexpr std::size_t kMostSpare = 16;

// Blocks that no object has. A new mapping costs more than most calls.
class SpareBlocks {
 public:
  // Null pages: there is no memory.
  GuardedBlock Take(std::size_t bytes) {
    const std::size_t size = std::bit_ceil(std::max(bytes, PageSize()));
    {
      const MutexLock lock(mutex_);
      const auto found = std::ranges::find(blocks_, size, &GuardedBlock::size);
      if (found != blocks_.end()) {
        const GuardedBlock block = *found;
        blocks_.erase(found);
        return block;
      }
    }
    void* const pages = mmap(nullptr, size + PageSize(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return {};
    mprotect(static_cast<std::byte*>(pages) + size, PageSize(), PROT_NONE);
    return {static_cast<std::byte*>(pages), size};
  }

  void Return(const GuardedBlock& block) {
    {
      const MutexLock lock(mutex_);
      if (blocks_.size() < kMostSpare) {
        blocks_.push_back(block);
        return;
      }
    }
    munmap(block.pages, block.size + PageSize());
  }

 private:
  Mutex mutex_;
  std::vector<GuardedBlock> blocks_ TANDEM_GUARDED_BY(mutex_);
};

// For good: objects may outlive static ones.
SpareBlocks& Spare() {
  static SpareBlocks& spare = *new SpareBlocks;
  return spare;
}

}  // namespace

GuardedBytes::GuardedBytes(std::size_t size) : block_(Spare().Take(size)) {
  if (block_.pages != nullptr) bytes_ = {block_.pages + block_.size - size, size};
}

GuardedBytes::GuardedBytes(std::span<const std::byte> bytes) : GuardedBytes(bytes.size()) {
  if (!bytes_.empty()) std::ranges::copy(bytes, bytes_.begin());
}

GuardedBytes::~GuardedBytes() {
  if (block_.pages != nullptr) Spare().Return(block_);
}

}  // namespace tandem::conform
