#include "link/governor/lossless_sizes.h"

#include <gtest/gtest.h>

namespace tandem::link {
namespace {

constexpr std::uint32_t kSlices = 8;

LosslessSizes OfAFrame() {
  LosslessSizes sizes(kSlices);
  for (std::uint32_t i = 0; i < kSlices; ++i) sizes.Know(i, 1000 * (i + 1));  // sky above, leaves below
  return sizes;
}

TEST(LosslessSizes, OfNothing_Nothing) { EXPECT_EQ(LosslessSizes(4).Whole(), 0U); }

TEST(LosslessSizes, AfterAFrame_ItsBytes) { EXPECT_EQ(OfAFrame().Whole(), 36'000U); }

// A small slice of sky does not make the frame count as small.
TEST(LosslessSizes, ProbesOfAPictureThatStays_ChangeNothing) {
  LosslessSizes sizes = OfAFrame();
  for (std::uint32_t i = 0; i < 3 * kSlices; ++i) {
    sizes.Probe(i % kSlices, 1000 * (i % kSlices + 1));
    EXPECT_EQ(sizes.Whole(), 36'000U) << i;
  }
}

TEST(LosslessSizes, ProbesOfAnotherPicture_FindItsSize) {
  LosslessSizes smaller = OfAFrame();
  for (std::uint32_t i = 0; i < kSlices; ++i) {
    const auto before = smaller.Whole();
    smaller.Probe(i, 250 * (i + 1));
    EXPECT_LT(smaller.Whole(), before) << i;
  }
  EXPECT_NEAR(static_cast<double>(smaller.Whole()), 9'000, 900);
  LosslessSizes larger = smaller;
  for (std::uint32_t i = 0; i < kSlices / 2; ++i) larger.Probe(2 * i, 2000 * (i + 1));
  EXPECT_GT(larger.Whole(), 20'000U);
}

TEST(LosslessSizes, ProbesAlone_CountForTheWhole) {
  LosslessSizes sizes(kSlices);
  sizes.Probe(0, 500);
  EXPECT_EQ(sizes.Whole(), 4'000U);
  sizes.Probe(1, 1500);
  EXPECT_EQ(sizes.Whole(), 8'000U);
}

}  // namespace
}  // namespace tandem::link
