#include "color/yuv_model.h"

#include <algorithm>
#include <cmath>

namespace tandem::color {
namespace {

struct Scale {
  double luma_offset, luma, chroma;  // limited range relative to 255
};

Scale ScaleOf(YuvRange range) { return range == YuvRange::kFull ? Scale{0, 1, 1} : Scale{16, 219.0 / 255, 224.0 / 255}; }

}  // namespace

LumaWeights LumaWeightsOf(YuvMatrix matrix) {
  switch (matrix) {
    case YuvMatrix::kBt709: return {0.2126, 0.0722};
    case YuvMatrix::kBt601: return {0.299, 0.114};
    case YuvMatrix::kBt2020: return {0.2627, 0.0593};
  }
  return {};
}

std::array<double, 3> YuvModel(double red, double green, double blue, YuvCoding coding) {
  const auto [kr, kb] = LumaWeightsOf(coding.matrix);
  const Scale scale = ScaleOf(coding.range);
  const double luma = kr * red + (1 - kr - kb) * green + kb * blue;
  return {scale.luma_offset + scale.luma * luma, 128 + scale.chroma * (blue - luma) / (2 * (1 - kb)),
          128 + scale.chroma * (red - luma) / (2 * (1 - kr))};
}

std::array<double, 3> RgbModel(double y, double u, double v, YuvCoding coding) {
  const auto [kr, kb] = LumaWeightsOf(coding.matrix);
  const Scale scale = ScaleOf(coding.range);
  const double luma = (y - scale.luma_offset) / scale.luma;
  const double red = luma + 2 * (1 - kr) * (v - 128) / scale.chroma;
  const double blue = luma + 2 * (1 - kb) * (u - 128) / scale.chroma;
  return {red, (luma - kr * red - kb * blue) / (1 - kr - kb), blue};
}

std::uint8_t RoundToByte(double value) { return static_cast<std::uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0)); }

}  // namespace tandem::color
