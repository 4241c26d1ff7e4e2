// Bytes in front of a page without memory, so that an access behind them faults without a sanitizer.
#pragma once

#include <cstddef>
#include <span>

namespace tandem::conform {

class GuardedBytes {
 public:
  // A copy. Without memory it is empty.
  explicit GuardedBytes(std::span<const std::byte> bytes);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  void* pages_ = nullptr;
  std::size_t size_ = 0;  // bytes mapped
  std::span<std::byte> bytes_;
};

}  // namespace tandem::conform
