// Measures the difference between a decoded picture and its original.
#pragma once

#include <cstdint>

#include "color/yuv.h"

namespace tandem::codec {

struct Quality {
  double psnr_db = 0;       // red, green and blue together; kLosslessDb if both are equal
  double luma_psnr_db = 0;  // BT.709 luma
  double luma_ssim = 0;     // mean over windows of 8 x 8 samples, 4 apart (Wang et al., 2004); 1: equal
  int max_error = 0;        // greatest difference of a channel
};

inline constexpr double kLosslessDb = 99;

inline constexpr std::uint32_t kLeastCompared = 8;  // pixels in each direction

// Both pictures have the same size, at least kLeastCompared in each direction. The fourth byte of a pixel is ignored.
[[nodiscard]] Quality Compare(const color::Bgra8<const std::byte>& original, const color::Bgra8<const std::byte>& decoded);

}  // namespace tandem::codec
