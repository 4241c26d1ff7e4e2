#include "codec/pictures/quality.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "color/yuv_model.h"

namespace tandem::codec {
namespace {

constexpr std::uint32_t kWindow = kLeastCompared;
constexpr std::uint32_t kStep = 4;

double ToDb(double mean_square) { return mean_square == 0 ? kLosslessDb : 10 * std::log10(255.0 * 255.0 / mean_square); }

std::vector<double> LumaOf(const color::Bgra8<const std::byte>& picture) {
  const auto [red, blue] = color::LumaWeightsOf(color::YuvMatrix::kBt709);
  std::vector<double> luma(std::size_t{picture.width} * picture.height);
  for (std::uint32_t y = 0; y < picture.height; ++y) {
    for (std::uint32_t x = 0; x < picture.width; ++x) {
      const std::byte* const pixel = picture.pixels + y * picture.pitch + 4 * std::size_t{x};
      const auto channel = [pixel](std::size_t i) { return std::to_integer<int>(pixel[i]); };
      luma[std::size_t{y} * picture.width + x] = blue * channel(0) + (1 - red - blue) * channel(1) + red * channel(2);
    }
  }
  return luma;
}

double SsimOfWindow(const double* a, const double* b, std::size_t pitch) {
  constexpr double kFirst = (0.01 * 255) * (0.01 * 255);
  constexpr double kSecond = (0.03 * 255) * (0.03 * 255);
  constexpr double kSamples = kWindow * kWindow;
  double sum_a = 0, sum_b = 0, squares_a = 0, squares_b = 0, products = 0;
  for (std::size_t y = 0; y < kWindow; ++y) {
    for (std::size_t i = y * pitch; i < y * pitch + kWindow; ++i) {
      sum_a += a[i];
      sum_b += b[i];
      squares_a += a[i] * a[i];
      squares_b += b[i] * b[i];
      products += a[i] * b[i];
    }
  }
  const double mean_a = sum_a / kSamples;
  const double mean_b = sum_b / kSamples;
  const double variances = squares_a / kSamples - mean_a * mean_a + squares_b / kSamples - mean_b * mean_b;
  const double covariance = products / kSamples - mean_a * mean_b;
  return (2 * mean_a * mean_b + kFirst) * (2 * covariance + kSecond) /
         ((mean_a * mean_a + mean_b * mean_b + kFirst) * (variances + kSecond));
}

}  // namespace

Quality Compare(const color::Bgra8<const std::byte>& original, const color::Bgra8<const std::byte>& decoded) {
  Quality quality;
  const auto samples = static_cast<double>(original.width) * original.height;
  double squares = 0;
  for (std::uint32_t y = 0; y < original.height; ++y) {
    const std::byte* const a = original.pixels + y * original.pitch;
    const std::byte* const b = decoded.pixels + y * decoded.pitch;
    for (std::size_t i = 0; i < 4 * std::size_t{original.width}; ++i) {
      if (i % 4 == 3) continue;
      const int error = std::abs(std::to_integer<int>(a[i]) - std::to_integer<int>(b[i]));
      quality.max_error = std::max(quality.max_error, error);
      squares += static_cast<double>(error * error);
    }
  }
  quality.psnr_db = ToDb(squares / (3 * samples));
  const std::vector<double> luma_a = LumaOf(original);
  const std::vector<double> luma_b = LumaOf(decoded);
  double luma_squares = 0;
  for (std::size_t i = 0; i < luma_a.size(); ++i) luma_squares += (luma_a[i] - luma_b[i]) * (luma_a[i] - luma_b[i]);
  quality.luma_psnr_db = ToDb(luma_squares / samples);
  double ssim = 0;
  std::uint64_t windows = 0;
  for (std::size_t y = 0; y + kWindow <= original.height; y += kStep) {
    for (std::size_t x = 0; x + kWindow <= original.width; x += kStep, ++windows) {
      const std::size_t at = y * original.width + x;
      ssim += SsimOfWindow(&luma_a[at], &luma_b[at], original.width);
    }
  }
  quality.luma_ssim = ssim / static_cast<double>(windows);
  return quality;
}

}  // namespace tandem::codec
