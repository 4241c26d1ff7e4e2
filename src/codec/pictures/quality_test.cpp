#include "codec/pictures/quality.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "codec/pictures/pictures.h"

namespace tandem::codec {
namespace {

TEST(QualityTest, Compare_EqualPictures_AreLossless) {
  const auto picture = DrawPicture(Picture::kScene, 64, 48, 1);
  const Quality quality = Compare({picture.data(), 256, 64, 48}, {picture.data(), 256, 64, 48});
  EXPECT_EQ(quality.psnr_db, kLosslessDb);
  EXPECT_EQ(quality.luma_psnr_db, kLosslessDb);
  EXPECT_NEAR(quality.luma_ssim, 1, 1e-9);
  EXPECT_EQ(quality.max_error, 0);
}

TEST(QualityTest, Compare_GreenOffByTen_IsTheFormulas) {
  std::vector<std::byte> a(64 * 64 * 4, std::byte{100});
  auto b = a;
  for (std::size_t i = 1; i < b.size(); i += 4) b[i] = std::byte{110};
  const Quality quality = Compare({a.data(), 256, 64, 64}, {b.data(), 256, 64, 64});
  EXPECT_NEAR(quality.psnr_db, 10 * std::log10(255.0 * 255.0 / (100.0 / 3)), 1e-6);
  EXPECT_NEAR(quality.luma_psnr_db, 20 * std::log10(255.0 / (0.7152 * 10)), 1e-6);
  EXPECT_EQ(quality.max_error, 10);
  EXPECT_LT(quality.luma_ssim, 1);
}

TEST(QualityTest, Compare_NoiseAgainstNoise_HasLittleInCommon) {
  const auto a = DrawPicture(Picture::kNoise, 64, 64, 1);
  const auto b = DrawPicture(Picture::kNoise, 64, 64, 2);
  EXPECT_LT(Compare({a.data(), 256, 64, 64}, {b.data(), 256, 64, 64}).luma_ssim, 0.2);
}

}  // namespace
}  // namespace tandem::codec
