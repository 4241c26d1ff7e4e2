#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "color/p010_rows.h"
#include "color/yuv_model.h"

namespace tandem::color {
namespace {

template <int kShift>
std::int32_t Scaled(double value) {
  return static_cast<std::int32_t>(std::llround(std::ldexp(value, kShift)));
}

std::int32_t Clamped(std::int32_t value) { return std::clamp(value, 0, kP010Samples); }

template <int kShift>
std::int32_t Rounded(std::int32_t value) {
  return (value + (1 << (kShift - 1))) >> kShift;
}

std::array<std::int32_t, 3> ChannelsAt(const std::byte* row, std::uint32_t x) {
  std::uint32_t pixel = 0;
  std::memcpy(&pixel, row + 4ULL * x, sizeof(pixel));
  const auto channel = [pixel](int shift) { return static_cast<std::int32_t>(pixel >> shift & 1023); };
  return {channel(0), channel(10), channel(20)};
}

void StoreSample(std::byte* to, std::uint64_t index, std::int32_t sample) {
  const auto word = static_cast<std::uint16_t>(sample << kP010Unused);
  std::memcpy(to + 2 * index, &word, sizeof(word));
}

std::int32_t LoadSample(const std::byte* from, std::uint64_t index) {
  std::uint16_t word = 0;
  std::memcpy(&word, from + 2 * index, sizeof(word));
  return word >> kP010Unused;
}

P010Weights MakeWeights(YuvCoding coding) {
  const auto [kr, kb] = LumaWeightsOf(coding.matrix);
  const double kg = 1 - kr - kb;
  const bool limited = coding.range == YuvRange::kLimited;
  const double luma = limited ? 876.0 / kP010Samples : 1;
  const double chroma = limited ? 896.0 / kP010Samples : 1;
  const double u = chroma / (2 * (1 - kb));
  const double v = chroma / (2 * (1 - kr));
  P010Weights w{};
  w.luma_offset = limited ? 64 : 0;
  w.luma_red = Scaled<kP010LumaShift>(luma * kr);
  w.luma_blue = Scaled<kP010LumaShift>(luma * kb);
  w.luma_green = Scaled<kP010LumaShift>(luma) - w.luma_red - w.luma_blue;
  w.u_blue = Scaled<kP010ChromaShift>(u * (1 - kb));
  w.u_red = Scaled<kP010ChromaShift>(-u * kr);
  w.v_blue = Scaled<kP010ChromaShift>(-v * kb);
  w.v_red = Scaled<kP010ChromaShift>(v * (1 - kr));
  w.from_luma = Scaled<kP010LumaShift>(1 / luma);
  w.red_v = Scaled<kP010LumaShift>(1 / v);
  w.blue_u = Scaled<kP010LumaShift>(1 / u);
  w.green_u = Scaled<kP010LumaShift>(-kb / (kg * u));
  w.green_v = Scaled<kP010LumaShift>(-kr / (kg * v));
  return w;
}

}  // namespace

const P010Weights& P010WeightsOf(YuvCoding coding) {
  static const auto all = [] {
    std::array<std::array<P010Weights, 2>, 3> made{};
    for (const YuvMatrix matrix : {YuvMatrix::kBt709, YuvMatrix::kBt601, YuvMatrix::kBt2020}) {
      for (const YuvRange range : {YuvRange::kFull, YuvRange::kLimited}) {
        made[static_cast<std::size_t>(matrix)][static_cast<std::size_t>(range)] = MakeWeights({matrix, range});
      }
    }
    return made;
  }();
  return all[static_cast<std::size_t>(coding.matrix)][static_cast<std::size_t>(coding.range)];
}

void EncodeP010RowsReference(const P010RowPair& rows, const P010Weights& w) {
  for (std::uint32_t left = 0; left < rows.width; left += 2) {
    const std::uint32_t right = std::min(left + 1, rows.width - 1);
    std::int32_t blue = 0;  // sum of four differences to green
    std::int32_t red = 0;
    for (const std::byte* row : {rows.top, rows.bottom}) {
      for (const std::uint32_t x : {left, right}) {
        const auto [r, g, b] = ChannelsAt(row, x);
        blue += b - g;
        red += r - g;
        StoreSample(row == rows.top ? rows.y_top : rows.y_bottom, x,
                    w.luma_offset + Rounded<kP010LumaShift>(w.luma_red * r + w.luma_green * g + w.luma_blue * b));
      }
    }
    StoreSample(rows.uv, left, Clamped(kP010Middle + Rounded<kP010ChromaShift + 2>(w.u_blue * blue + w.u_red * red)));
    StoreSample(rows.uv, left + 1, Clamped(kP010Middle + Rounded<kP010ChromaShift + 2>(w.v_blue * blue + w.v_red * red)));
  }
}

void DecodeP010RowReference(const P010Row& row, const P010Weights& w) {
  for (std::uint32_t x = 0; x < row.width; ++x) {
    const std::int32_t y = LoadSample(row.y, x);
    const std::int32_t u = LoadSample(row.uv, x / 2 * 2) - kP010Middle;
    const std::int32_t v = LoadSample(row.uv, x / 2 * 2 + 1) - kP010Middle;
    const auto channel = [y](std::int32_t term) {
      return static_cast<std::uint32_t>(Clamped(y + Rounded<kP010LumaShift>(term)));
    };
    const std::uint32_t pixel =
        channel(v * w.red_v) | channel(u * w.green_u + v * w.green_v) << 10 | channel(u * w.blue_u) << 20 | 3U << 30;
    std::memcpy(row.pixels + 4ULL * x, &pixel, sizeof(pixel));
  }
}

}  // namespace tandem::color
