// YUV by the formulas of color/yuv.h in double precision; slow. All other conversions are tested against it.
#pragma once

#include <array>
#include <cstdint>

#include "color/yuv.h"

namespace tandem::color {

// Weights of red and blue in luma; green has the rest to 1.
struct LumaWeights {
  double red, blue;
};
[[nodiscard]] LumaWeights LumaWeightsOf(YuvMatrix matrix);

// Converts red, green and blue in 0..255 to Y, U and V, neither rounded nor clamped.
[[nodiscard]] std::array<double, 3> YuvModel(double red, double green, double blue, YuvCoding coding);

// Converts Y, U and V to red, green and blue, neither rounded nor clamped.
[[nodiscard]] std::array<double, 3> RgbModel(double y, double u, double v, YuvCoding coding);

// Rounds to 0..255, halves upwards.
[[nodiscard]] std::uint8_t RoundToByte(double value);

}  // namespace tandem::color
