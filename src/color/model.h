// The model in double precision; slow. All other conversions are tested against it.
#pragma once

#include <cstdint>

#include "color/convert.h"

namespace tandem::color {

// The value of an IEEE 754 binary16, exact.
[[nodiscard]] double HalfToDouble(std::uint16_t bits);

// Encodes linear light 0..1 by IEC 61966-2-1; values outside and NaN are clamped as convert.h says.
[[nodiscard]] double LinearToSrgb(double linear);

// 0..255 for an encoded value, by the rules of convert.h.
[[nodiscard]] std::uint8_t ToUnorm8(double value);

// 0..255 for a half float's colour channel.
[[nodiscard]] std::uint8_t HalfToUnorm8(std::uint16_t bits, Transfer transfer);

// 0..255 for a channel of `bits` bits, 1..16.
[[nodiscard]] std::uint8_t UnormToUnorm8(std::uint32_t value, std::uint32_t bits);

}  // namespace tandem::color
