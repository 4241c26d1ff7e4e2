// How far a decoded picture is from the original.
#pragma once

#include <cstdint>

#include "color/yuv.h"

namespace tandem::codec {

struct Quality {
  double psnr_db = 0;       // of red, green and blue together; kLosslessDb when nothing differs
  double luma_psnr_db = 0;  // of BT.709 luma
  double luma_ssim = 0;     // mean over windows of 8 x 8 samples, 4 apart (Wang et al., 2004); 1: equal
  int max_error = 0;        // of a channel
};

inline constexpr double kLosslessDb = 99;

inline constexpr std::uint32_t kLeastCompared = 8;  // pixels, each way

// The two have the same size, at least kLeastCompared each way; the fourth byte of a pixel is not looked at.
[[nodiscard]] Quality Compare(const color::Bgra8<const std::byte>& original, const color::Bgra8<const std::byte>& decoded);

}  // namespace tandem::codec
