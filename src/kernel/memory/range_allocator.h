// Hands out ranges of a segment's address space, first fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace tandem::kernel {

// Not thread-safe. Offsets and sizes in bytes.
class RangeAllocator {
 public:
  explicit RangeAllocator(std::uint64_t size);

  // The lowest free offset of that alignment (a power of two), or nothing. `size` must not be 0.
  [[nodiscard]] std::optional<std::uint64_t> Allocate(std::uint64_t size, std::uint64_t alignment);
  // Exactly a range that was allocated.
  void Free(std::uint64_t offset, std::uint64_t size);

  [[nodiscard]] std::uint64_t free_bytes() const { return free_bytes_; }

 private:
  std::map<std::uint64_t, std::uint64_t> free_;  // offset -> size; neighbours are always merged
  std::uint64_t free_bytes_;
};

}  // namespace tandem::kernel
