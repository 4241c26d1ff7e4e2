// Checked arithmetic on sizes and offsets that come from outside.
#pragma once

#include <concepts>
#include <limits>
#include <optional>

#include "base/check.h"

namespace tandem {

template <std::unsigned_integral T>
[[nodiscard]] constexpr bool IsPowerOfTwo(T value) {
  return value != 0 && (value & (value - 1)) == 0;
}

// Alignment must be a power of two.
template <std::unsigned_integral T>
[[nodiscard]] constexpr bool IsAligned(T value, std::type_identity_t<T> alignment) {
  TANDEM_ASSERT(IsPowerOfTwo(alignment));
  return (value & (alignment - 1)) == 0;
}

// a + b; nothing when the sum does not fit T.
template <std::unsigned_integral T>
[[nodiscard]] constexpr std::optional<T> CheckedAdd(T a, std::type_identity_t<T> b) {
  T sum{};
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// The next multiple of `alignment`; nothing when it does not fit T. Alignment must be a power of two.
template <std::unsigned_integral T>
[[nodiscard]] constexpr std::optional<T> CheckedAlignUp(T value, std::type_identity_t<T> alignment) {
  TANDEM_ASSERT(IsPowerOfTwo(alignment));
  const auto mask = static_cast<T>(alignment - 1);
  const auto sum = CheckedAdd(value, mask);
  if (!sum) return std::nullopt;
  return static_cast<T>(*sum & static_cast<T>(~mask));
}

// The next multiple of `alignment`, which must fit T: for values validated before. Alignment must be a power of two.
template <std::unsigned_integral T>
[[nodiscard]] constexpr T AlignUp(T value, std::type_identity_t<T> alignment) {
  const auto aligned = CheckedAlignUp(value, alignment);
  TANDEM_CHECK(aligned.has_value());
  return *aligned;
}

}  // namespace tandem
