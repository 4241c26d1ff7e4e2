#include "outputs/fit.h"

#include <gtest/gtest.h>

namespace tandem::outputs {
namespace {

constexpr Extent kWindow{200, 100};

Placement Placed(Scaling scaling, Gravity x, Gravity y, Extent picture) { return Place({scaling, x, y}, picture, kWindow); }

TEST(Fit, OneToOne_KeepsTheSizeAndTakesTheGravity) {
  EXPECT_EQ(Placed(Scaling::kOneToOne, Gravity::kMin, Gravity::kMax, {50, 40}), (Placement{0, 60, {50, 40}}));
  EXPECT_EQ(Placed(Scaling::kOneToOne, Gravity::kCentered, Gravity::kCentered, {50, 40}), (Placement{75, 30, {50, 40}}));
}

TEST(Fit, OneToOneOfALargerPicture_ReachesBeyondTheWindow) {
  EXPECT_EQ(Placed(Scaling::kOneToOne, Gravity::kMax, Gravity::kCentered, {260, 130}), (Placement{-60, -15, {260, 130}}));
}

TEST(Fit, Aspect_TouchesTwoEdgesAndKeepsTheProportions) {
  EXPECT_EQ(Placed(Scaling::kAspect, Gravity::kMin, Gravity::kCentered, {400, 100}), (Placement{0, 25, {200, 50}}));
  EXPECT_EQ(Placed(Scaling::kAspect, Gravity::kMax, Gravity::kMin, {30, 30}), (Placement{100, 0, {100, 100}}));
}

TEST(Fit, AspectOfALine_IsOnePixelHighAtLeast) {
  EXPECT_EQ(Placed(Scaling::kAspect, Gravity::kMin, Gravity::kMin, {4000, 1}), (Placement{0, 0, {200, 1}}));
}

TEST(Fit, Stretch_FillsTheWindowWhateverTheGravity) {
  EXPECT_EQ(Placed(Scaling::kStretch, Gravity::kMax, Gravity::kMax, {7, 3}), (Placement{0, 0, kWindow}));
}

}  // namespace
}  // namespace tandem::outputs
