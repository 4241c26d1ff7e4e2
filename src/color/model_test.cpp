#include "color/model.h"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "color/convert.h"

namespace tandem::color {
namespace {

TEST(ModelTest, SpecialValues_FollowTheRules) {
  EXPECT_EQ(ToUnorm8(std::nan("")), 0);
  EXPECT_EQ(ToUnorm8(-1.0), 0);
  EXPECT_EQ(ToUnorm8(2.0), 255);
  EXPECT_EQ(ToUnorm8(0.5 / 255), 0);  // halves to even
  EXPECT_EQ(ToUnorm8(1.5 / 255), 2);
  EXPECT_EQ(HalfToDouble(0x3C00), 1.0);
  EXPECT_EQ(HalfToDouble(0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(HalfToDouble(0xC000), -2.0);
  EXPECT_NEAR(LinearToSrgb(0.5), 0.735356983052, 1e-9);
  EXPECT_NEAR(LinearToSrgb(0.001), 0.01292, 1e-9);
}

TEST(ModelTest, Unorm8ToHalf_ComesBackForEveryValue) {
  for (int v = 0; v < 256; ++v) {
    EXPECT_EQ(HalfToUnorm8(Unorm8ToHalf(static_cast<std::uint8_t>(v)), Transfer::kPassThrough), v);
  }
  EXPECT_EQ(Unorm8ToHalf(255), 0x3C00);
}

}  // namespace
}  // namespace tandem::color
