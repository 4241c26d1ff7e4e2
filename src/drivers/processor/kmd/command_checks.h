// The end of a command, and the checks that every kind of command makes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/limits.h"

namespace tandem::processor {

enum class Execution : std::uint8_t {
  kDone,
  kAborted,
  kPreempted,
  kPageFault,   // an address is not mapped for the whole length
  kBadCommand,  // unknown, misaligned, cut off, not allowed here, or contradicting itself
};

struct ExecutionResult {
  Execution outcome = Execution::kDone;
  std::uint64_t fault_address = 0;  // of a page fault
  bool fault_on_write = false;
};

inline constexpr ExecutionResult kBad{Execution::kBadCommand, 0, false};

[[nodiscard]] inline ExecutionResult ReadFault(std::uint64_t address) { return {Execution::kPageFault, address, false}; }
[[nodiscard]] inline ExecutionResult WriteFault(std::uint64_t address) { return {Execution::kPageFault, address, true}; }

[[nodiscard]] inline bool IsExtent(std::uint32_t pixels) { return pixels != 0 && pixels <= kMaxSurfaceExtent; }

// Bytes from the first to the last one of a rectangle; 32-bit pitches and rows cannot overflow 64 bits.
[[nodiscard]] inline std::uint64_t RectBytes(std::uint64_t pitch, std::uint64_t row_bytes, std::uint64_t rows) {
  return (rows - 1) * pitch + row_bytes;
}

[[nodiscard]] inline bool Overlap(const std::byte* a, std::uint64_t a_bytes, const std::byte* b, std::uint64_t b_bytes) {
  return std::less<>()(a, b + b_bytes) && std::less<>()(b, a + a_bytes);
}

}  // namespace tandem::processor
