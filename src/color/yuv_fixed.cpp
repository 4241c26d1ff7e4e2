#include "color/yuv_fixed.h"

#include <array>
#include <cmath>

#include "color/yuv_model.h"

namespace tandem::color {
namespace {

constexpr std::array kMatrices = {YuvMatrix::kBt709, YuvMatrix::kBt601, YuvMatrix::kBt2020};
constexpr std::array kRanges = {YuvRange::kFull, YuvRange::kLimited};

std::size_t IndexOf(YuvCoding coding) {
  return 2 * static_cast<std::size_t>(coding.matrix) + static_cast<std::size_t>(coding.range);
}

template <class Integer>
Integer Scaled(double value, int bits) {
  return static_cast<Integer>(std::lround(std::ldexp(value, bits)));
}

// Found by a search over all pairs with blue + green <= 128, and all reds, whose multipliers fit 15 bits.
EncodeWeights Luma(YuvCoding coding) {
  static constexpr std::array<EncodeWeights, 6> kLuma = {{
      {11, 109, 23, 13761, 19385, 0, 0, 0, 0, 0},
      {11, 109, 22, 11818, 17405, 16, 0, 0, 0, 0},
      {20, 103, 24, 11952, 26127, 0, 0, 0, 0, 0},
      {20, 103, 18, 10265, 29918, 16, 0, 0, 0, 0},
      {7, 80, 20, 17773, 27546, 0, 0, 0, 0, 0},
      {7, 80, 15, 15264, 31543, 16, 0, 0, 0, 0},
  }};
  return kLuma[IndexOf(coding)];
}

EncodeWeights MakeEncodeWeights(YuvCoding coding) {
  EncodeWeights weights = Luma(coding);
  const auto [kr, kb] = LumaWeightsOf(coding.matrix);
  const double half = coding.range == YuvRange::kFull ? 0.5 : 0.5 * 224 / 255;
  weights.u_blue = Scaled<std::int16_t>(half, 15);
  weights.u_red = Scaled<std::int16_t>(-half * kr / (1 - kb), 15);
  weights.v_blue = Scaled<std::int16_t>(-half * kb / (1 - kr), 15);
  weights.v_red = Scaled<std::int16_t>(half, 15);
  return weights;
}

// Change of red, green and blue for one step of U or V.
struct Steps {
  double red_v, blue_u, green_u, green_v;
};

Steps StepsOf(YuvCoding coding) {
  const auto at = [coding](double u, double v) { return RgbModel(0, 128 + u, 128 + v, coding); };
  const auto zero = at(0, 0);
  const auto u = at(1, 0);
  const auto v = at(0, 1);
  return {v[0] - zero[0], u[2] - zero[2], u[1] - zero[1], v[1] - zero[1]};
}

TermWeights MakeTermWeights(YuvMatrix matrix) {
  const Steps steps = StepsOf({matrix, YuvRange::kFull});
  return {Scaled<std::int16_t>(steps.red_v, kRedBlueShift - 8), Scaled<std::int16_t>(steps.blue_u, kRedBlueShift - 8),
          Scaled<std::int16_t>(steps.green_u, kGreenShift - 8), Scaled<std::int16_t>(steps.green_v, kGreenShift - 8)};
}

SumWeights MakeSumWeights(YuvCoding coding) {
  const Steps steps = StepsOf(coding);
  const bool limited = coding.range == YuvRange::kLimited;
  return {limited ? 16 : 0,
          Scaled<std::int32_t>(limited ? 255.0 / 219 : 1.0, kSumShift),
          Scaled<std::int32_t>(steps.red_v, kSumShift - 4),
          Scaled<std::int32_t>(steps.blue_u, kSumShift - 4),
          Scaled<std::int32_t>(steps.green_u, kSumShift - 4),
          Scaled<std::int32_t>(steps.green_v, kSumShift - 4)};
}

// One entry for each matrix and range.
template <class Weights, class Make>
std::array<Weights, 6> MakeAll(Make&& make) {
  std::array<Weights, 6> all{};
  for (const YuvMatrix matrix : kMatrices) {
    for (const YuvRange range : kRanges) all[IndexOf({matrix, range})] = make(YuvCoding{matrix, range});
  }
  return all;
}

}  // namespace

const EncodeWeights& EncodeWeightsOf(YuvCoding coding) {
  static const auto all = MakeAll<EncodeWeights>(MakeEncodeWeights);
  return all[IndexOf(coding)];
}

const TermWeights& TermWeightsOf(YuvMatrix matrix) {
  static const auto all = MakeAll<TermWeights>([](YuvCoding coding) { return MakeTermWeights(coding.matrix); });
  return all[IndexOf({matrix, YuvRange::kFull})];
}

const SumWeights& SumWeightsOf(YuvCoding coding) {
  static const auto all = MakeAll<SumWeights>(MakeSumWeights);
  return all[IndexOf(coding)];
}

}  // namespace tandem::color
