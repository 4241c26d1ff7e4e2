#include "drivers/kms/kmd/picture_place.h"

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "color/blit.h"

namespace tandem::kms {
namespace {

constexpr PointerRect kPointer{10, 4, 8, 6};
constexpr std::uint32_t kWidth = 64, kHeight = 48;

TEST(PicturePlace, FrameInTheMiddle_CarriesThePointer) {
  const PicturePlace place{{100, 50, 100 + kWidth, 50 + kHeight}, kWidth, kHeight, color::Rotation::kIdentity};
  EXPECT_EQ(OnScreen(kPointer, place), (ScreenPoint{110, 54}));
  EXPECT_EQ(OnScreen({-7, 47, 8, 6}, place), (ScreenPoint{93, 97}));
  EXPECT_EQ(OnScreen({-8, 0, 8, 6}, place), std::nullopt) << "The border around a frame shows no pointer alone.";
  EXPECT_EQ(OnScreen({0, 48, 8, 6}, place), std::nullopt);
  EXPECT_EQ(OnScreen({2'000'000'000, -2'000'000'000, 8, 6}, place), std::nullopt);
}

TEST(PicturePlace, ScaledFrame_MovesThePointerAndKeepsItsSize) {
  const PicturePlace place{{0, 10, 2 * kWidth, 10 + 2 * kHeight}, kWidth, kHeight, color::Rotation::kIdentity};
  EXPECT_EQ(OnScreen(kPointer, place), (ScreenPoint{20, 18}));
}

TEST(PicturePlace, TurnedFrame_TurnsThePointersPlace) {
  for (const auto rotation : {color::Rotation::k90, color::Rotation::k180, color::Rotation::k270}) {
    const bool quarter = color::IsQuarterTurn(rotation);
    const color::BlitRect content{0, 0, quarter ? kHeight : kWidth, quarter ? kWidth : kHeight};
    const auto due = color::RotatedRect({10, 4, 18, 10}, kWidth, kHeight, rotation);
    EXPECT_EQ(OnScreen(kPointer, {content, kWidth, kHeight, rotation}),
              (ScreenPoint{static_cast<std::int32_t>(due.left), static_cast<std::int32_t>(due.top)}));
  }
}

}  // namespace
}  // namespace tandem::kms
