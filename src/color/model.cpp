#include "color/model.h"

#include <cmath>
#include <limits>

namespace tandem::color {

double HalfToDouble(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

double LinearToSrgb(double linear) {
  if (!(linear > 0.0)) return 0.0;
  if (linear >= 1.0) return 1.0;
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * std::pow(linear, 1.0 / 2.4) - 0.055;
}

std::uint8_t ToUnorm8(double value) {
  if (!(value > 0.0)) return 0;
  if (value >= 1.0) return 255;
  return static_cast<std::uint8_t>(std::nearbyint(value * 255.0));
}

std::uint8_t HalfToUnorm8(std::uint16_t bits, Transfer transfer) {
  const double value = HalfToDouble(bits);
  return ToUnorm8(transfer == Transfer::kLinearToSrgb ? LinearToSrgb(value) : value);
}

std::uint8_t UnormToUnorm8(std::uint32_t value, std::uint32_t bits) {
  return ToUnorm8(static_cast<double>(value) / static_cast<double>((1U << bits) - 1U));
}

}  // namespace tandem::color
