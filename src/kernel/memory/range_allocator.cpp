#include "kernel/memory/range_allocator.h"

#include <iterator>

#include "base/aligned.h"
#include "base/check.h"

namespace tandem::kernel {

RangeAllocator::RangeAllocator(std::uint64_t size) : free_bytes_(size) {
  if (size != 0) free_.emplace(0, size);
}

std::optional<std::uint64_t> RangeAllocator::Allocate(std::uint64_t size, std::uint64_t alignment) {
  TANDEM_CHECK(size != 0);
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const auto [start, length] = *range;
    const auto aligned = CheckedAlignUp(start, alignment);
    if (!aligned || *aligned - start > length || length - (*aligned - start) < size) continue;
    const std::uint64_t before = *aligned - start;
    const std::uint64_t after = length - before - size;
    if (after != 0) free_.emplace(*aligned + size, after);
    if (before != 0) {
      range->second = before;
    } else {
      free_.erase(range);
    }
    free_bytes_ -= size;
    return *aligned;
  }
  return std::nullopt;
}

void RangeAllocator::Free(std::uint64_t offset, std::uint64_t size) {
  const auto [range, inserted] = free_.emplace(offset, size);
  TANDEM_CHECK(inserted);
  free_bytes_ += size;
  if (const auto next = std::next(range); next != free_.end()) {
    TANDEM_CHECK(offset + size <= next->first);
    if (offset + size == next->first) {
      range->second += next->second;
      free_.erase(next);
    }
  }
  if (range == free_.begin()) return;
  const auto previous = std::prev(range);
  TANDEM_CHECK(previous->first + previous->second <= offset);
  if (previous->first + previous->second == offset) {
    previous->second += range->second;
    free_.erase(range);
  }
}

}  // namespace tandem::kernel
