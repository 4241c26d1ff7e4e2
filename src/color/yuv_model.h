// YUV by the formulas of color/yuv.h in double precision; slow. Everything else is tested against it.
#pragma once

#include <array>
#include <cstdint>

#include "color/yuv.h"

namespace tandem::color {

// Weights of red and blue in luma; green has what is missing to 1.
struct LumaWeights {
  double red, blue;
};
[[nodiscard]] LumaWeights LumaWeightsOf(YuvMatrix matrix);

// Y, U and V of red, green and blue in 0..255, neither rounded nor clamped.
[[nodiscard]] std::array<double, 3> YuvModel(double red, double green, double blue, YuvCoding coding);

// Red, green and blue of Y, U and V, neither rounded nor clamped.
[[nodiscard]] std::array<double, 3> RgbModel(double y, double u, double v, YuvCoding coding);

// To 0..255, halves upwards.
[[nodiscard]] std::uint8_t RoundToByte(double value);

}  // namespace tandem::color
