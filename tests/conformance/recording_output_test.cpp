// The output's probe, which tells whose pages hold a picture.
#include <gtest/gtest.h>

#include <array>

#include "conform/recording_output.h"

namespace tandem::conform {
namespace {

constexpr std::int64_t kRefreshPeriodNs = 1'000'000;

class RecordingOutputTest : public testing::Test {
 protected:
  void Show(const std::array<std::uint32_t, 4>& pixels) {
    outputs::Surface surface;
    surface.pixels = reinterpret_cast<const std::byte*>(pixels.data());
    surface.width = surface.height = 2;
    surface.pitch = 8;
    surface.format = color::Format::kB8G8R8A8Unorm;
    ASSERT_TRUE(output_.Show(surface).ok());
  }

  RecordingOutput output_{kRefreshPeriodNs};
  std::array<std::uint32_t, 4> pixels_{1, 2, 3, 4};
};

TEST_F(RecordingOutputTest, ProbedPages_StayAsTheyAre_AndAreFound) {
  output_.Probe(pixels_.data());
  Show(pixels_);
  EXPECT_EQ(output_.elsewhere(), 0u);
  EXPECT_EQ(pixels_, (std::array<std::uint32_t, 4>{1, 2, 3, 4}));
  ASSERT_EQ(output_.shown().size(), 1u);
  EXPECT_EQ(output_.shown()[0].At(1, 1), 4u);
}

TEST_F(RecordingOutputTest, CopyOfTheProbedPages_IsElsewhere) {
  const auto copy = pixels_;
  output_.Probe(pixels_.data());
  Show(copy);
  EXPECT_EQ(output_.elsewhere(), 1u);
  output_.Probe(nullptr);
  Show(copy);
  EXPECT_EQ(output_.elsewhere(), 0u);
}

}  // namespace
}  // namespace tandem::conform
