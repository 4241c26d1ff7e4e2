#include "link/trial/encoding_trial.h"

#include <gtest/gtest.h>

#include "base/testing/fake_clock.h"
#include "codec/pictures/pictures.h"
#include "codec/pictures/quality.h"

namespace tandem::link {
namespace {

TEST(EncodingTrialTest, EachEncoding_OfTheScene_IsAsGoodAsItPromises) {
  constexpr std::uint32_t kWidth = 203;
  constexpr std::uint32_t kHeight = 91;
  const auto pixels = codec::DrawPicture(codec::Picture::kScene, kWidth, kHeight, 1);
  const color::Bgra8<const std::byte> picture{pixels.data(), 4 * kWidth, kWidth, kHeight};
  FakeClock clock(0);
  std::uint64_t tile_bytes = 0;
  for (const Encoding encoding : kEncodings) {
    if (!IsBuilt(encoding)) continue;
    const EncodingTrial trial = TryEncoding(encoding, picture, clock);
    const codec::Quality quality = codec::Compare(picture, {trial.decoded.data(), 4 * kWidth, kWidth, kHeight});
    if (encoding == Encoding::kPacked) {
      EXPECT_EQ(trial.decoded, pixels);
      EXPECT_LT(trial.bytes, pixels.size() * 77 / 100);
      continue;
    }
    if (encoding == Encoding::kTiles) {
      tile_bytes = trial.bytes;
      EXPECT_EQ(trial.decoded, pixels);
    }
    if (encoding == Encoding::kTilesHalf) {
      EXPECT_LE(trial.bytes, tile_bytes / 2);
    }
    EXPECT_LT(trial.bytes, pixels.size() / 2) << ToString(encoding);
    EXPECT_GT(quality.psnr_db, 25) << ToString(encoding);
    EXPECT_GT(quality.luma_ssim, 0.8) << ToString(encoding);
  }
}

}  // namespace
}  // namespace tandem::link
