#include "color/p010.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "color/yuv_model.h"

namespace tandem::color {
namespace {

constexpr int kShift = 20;
constexpr int kSamples = 1023;
constexpr int kMiddle = 512;

std::int64_t Scaled(double value) { return std::llround(std::ldexp(value, kShift)); }

// 2^20 times the factors of both ways. Chroma's are of red, green and blue and add up to 0, so that greys have none.
struct Weights {
  int luma_offset;
  std::array<std::int64_t, 3> luma, u, v;
  std::int64_t from_luma, red_v, green_u, green_v, blue_u;
};

Weights WeightsOf(YuvCoding coding) {
  const auto [kr, kb] = LumaWeightsOf(coding.matrix);
  const double kg = 1 - kr - kb;
  const bool limited = coding.range == YuvRange::kLimited;
  const double luma = limited ? 876.0 / kSamples : 1;
  const double chroma = limited ? 896.0 / kSamples : 1;
  const double u = chroma / (2 * (1 - kb));
  const double v = chroma / (2 * (1 - kr));
  Weights w{};
  w.luma_offset = limited ? 64 : 0;
  w.luma = {Scaled(luma * kr), 0, Scaled(luma * kb)};
  w.luma[1] = Scaled(luma) - w.luma[0] - w.luma[2];
  w.u = {Scaled(-u * kr), 0, Scaled(u * (1 - kb))};
  w.u[1] = -w.u[0] - w.u[2];
  w.v = {Scaled(v * (1 - kr)), 0, Scaled(-v * kb)};
  w.v[1] = -w.v[0] - w.v[2];
  w.from_luma = Scaled(1 / luma);
  w.red_v = Scaled(1 / v);
  w.blue_u = Scaled(1 / u);
  w.green_u = Scaled(-kb / (kg * u));
  w.green_v = Scaled(-kr / (kg * v));
  return w;
}

int Rounded(std::int64_t value, int shift) {
  return static_cast<int>(std::clamp<std::int64_t>((value + (std::int64_t{1} << (shift - 1))) >> shift, 0, kSamples));
}

std::uint32_t LoadPixel(const std::byte* from) {
  std::uint32_t pixel = 0;
  std::memcpy(&pixel, from, sizeof(pixel));
  return pixel;
}

std::array<std::int64_t, 3> ChannelsOf(std::uint32_t pixel) { return {pixel & 1023, pixel >> 10 & 1023, pixel >> 20 & 1023}; }

std::int64_t Dot(const std::array<std::int64_t, 3>& a, const std::array<std::int64_t, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void StoreSample(std::byte* to, int sample) {
  const auto word = static_cast<std::uint16_t>(sample << 6);
  std::memcpy(to, &word, sizeof(word));
}

std::int64_t LoadSample(const std::byte* from) {
  std::uint16_t word = 0;
  std::memcpy(&word, from, sizeof(word));
  return word >> 6;
}

// The further one of the two chroma samples that `at` lies between, and that one itself without a filter.
std::uint32_t Further(std::uint32_t at, std::uint32_t count, ChromaFilter filter) {
  const std::uint32_t nearer = at / 2;
  if (filter == ChromaFilter::kNearest) return nearer;
  return at % 2 != 0 ? std::min(nearer + 1, count - 1) : nearer - (nearer != 0 ? 1 : 0);
}

}  // namespace

void EncodeP010(const P010<std::byte>& to, const Rgb10<const std::byte>& from, YuvCoding coding) {
  const Weights w = WeightsOf(coding);
  for (std::uint32_t top = 0; top < from.height; top += 2) {
    const std::uint32_t bottom = std::min(top + 1, from.height - 1);
    std::byte* uv = to.uv + top / 2 * to.uv_pitch;
    for (std::uint32_t left = 0; left < from.width; left += 2, uv += 4) {
      const std::uint32_t right = std::min(left + 1, from.width - 1);
      std::array<std::int64_t, 3> sum{};
      for (const std::uint32_t y : {top, bottom}) {
        for (const std::uint32_t x : {left, right}) {
          const auto channels = ChannelsOf(LoadPixel(from.pixels + y * from.pitch + 4ULL * x));
          for (std::size_t c = 0; c < 3; ++c) sum[c] += channels[c];
          const std::int64_t offset = std::int64_t{w.luma_offset} << kShift;
          StoreSample(to.y + y * to.y_pitch + 2ULL * x, Rounded(offset + Dot(channels, w.luma), kShift));
        }
      }
      const std::int64_t middle = std::int64_t{kMiddle} << (kShift + 2);
      StoreSample(uv, Rounded(middle + Dot(sum, w.u), kShift + 2));
      StoreSample(uv + 2, Rounded(middle + Dot(sum, w.v), kShift + 2));
    }
  }
}

void DecodeP010(const Rgb10<std::byte>& to, const P010<const std::byte>& from, YuvCoding coding, ChromaFilter filter) {
  const Weights w = WeightsOf(coding);
  const std::uint32_t across = ChromaExtent(to.width);
  const std::uint32_t down = ChromaExtent(to.height);
  for (std::uint32_t y = 0; y < to.height; ++y) {
    const std::byte* const near_row = from.uv + y / 2 * from.uv_pitch;
    const std::byte* const far_row = from.uv + Further(y, down, filter) * from.uv_pitch;
    for (std::uint32_t x = 0; x < to.width; ++x) {
      const std::uint64_t nearer = 4ULL * (x / 2);
      const std::uint64_t further = 4ULL * Further(x, across, filter);
      // Times 16.
      const auto chroma = [&](std::uint64_t channel) {
        const auto column = [&](std::uint64_t at) {
          return 3 * LoadSample(near_row + at + channel) + LoadSample(far_row + at + channel);
        };
        return 3 * column(nearer) + column(further) - 16 * kMiddle;
      };
      const std::int64_t u = chroma(0);
      const std::int64_t v = chroma(2);
      const std::int64_t luma = 16 * (LoadSample(from.y + y * from.y_pitch + 2ULL * x) - w.luma_offset) * w.from_luma;
      const auto channel = [&](std::int64_t value) { return static_cast<std::uint32_t>(Rounded(luma + value, kShift + 4)); };
      const std::uint32_t pixel =
          channel(v * w.red_v) | channel(u * w.green_u + v * w.green_v) << 10 | channel(u * w.blue_u) << 20 | 3U << 30;
      std::memcpy(to.pixels + y * to.pitch + 4ULL * x, &pixel, sizeof(pixel));
    }
  }
}

}  // namespace tandem::color
