// Memory whose physical address firmware can name in 32 bits.
#pragma once

#include <cstddef>
#include <utility>

#include "base/result.h"

namespace tandem::bus {

// Zeroed pages at a multiple of their size, below 4 GiB where there is room.
class LowMemory {
 public:
  // `bytes` is a power of two of whole pages. kOutOfMemory.
  static Result<LowMemory> Create(std::size_t bytes);
  LowMemory(LowMemory&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)),
        mapped_bytes_(other.mapped_bytes_),
        data_(other.data_),
        bytes_(other.bytes_) {}
  LowMemory& operator=(LowMemory&&) = delete;
  ~LowMemory();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size_bytes() const { return bytes_; }

 private:
  LowMemory(void* begin, std::size_t mapped_bytes, std::byte* data, std::size_t bytes)
      : begin_(begin), mapped_bytes_(mapped_bytes), data_(data), bytes_(bytes) {}

  void* begin_;  // null: moved from
  std::size_t mapped_bytes_;
  std::byte* data_;
  std::size_t bytes_;
};

}  // namespace tandem::bus
