// Bytes in front of a page without memory, so that an access behind them faults without a sanitizer.
#pragma once

#include <cstddef>
#include <span>

namespace tandem::conform {

// Pages, and behind them one without memory.
struct GuardedBlock {
  std::byte* pages = nullptr;
  std::size_t size = 0;  // bytes in front of the page without memory
};

// The memory is used again: a late access of it does not fault.
class GuardedBytes {
 public:
  // The bytes have any values. Without memory there are none.
  explicit GuardedBytes(std::size_t size);
  // A copy.
  explicit GuardedBytes(std::span<const std::byte> bytes);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  const GuardedBlock block_;
  std::span<std::byte> bytes_;
};

}  // namespace tandem::conform
