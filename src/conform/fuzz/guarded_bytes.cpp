#include "conform/fuzz/guarded_bytes.h"

#include <algorithm>

#include <sys/mman.h>

#include "base/memory_map.h"

namespace tandem::conform {

GuardedBytes::GuardedBytes(std::span<const std::byte> bytes) {
  const std::size_t page = PageSize(), filled = (bytes.size() + page - 1) / page * page;
  void* const pages = mmap(nullptr, filled + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return;
  pages_ = pages;
  size_ = filled + page;
  auto* const guard = static_cast<std::byte*>(pages) + filled;
  mprotect(guard, page, PROT_NONE);
  bytes_ = {guard - bytes.size(), bytes.size()};
  std::ranges::copy(bytes, bytes_.begin());
}

GuardedBytes::~GuardedBytes() {
  if (pages_ != nullptr) munmap(pages_, size_);
}

}  // namespace tandem::conform
