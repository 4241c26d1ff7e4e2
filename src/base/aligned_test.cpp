#include "base/aligned.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace tandem {
namespace {

constexpr std::uint32_t kTop32 = 0xFFFF'FFFFU;

static_assert(AlignUp(std::uint32_t{1}, 128) == 128);
static_assert(IsAligned(std::uint64_t{256}, 128));

TEST(IsPowerOfTwo, ZeroAndMixedBits_AreNot) {
  EXPECT_FALSE(IsPowerOfTwo(0U));
  EXPECT_FALSE(IsPowerOfTwo(96U));
  EXPECT_TRUE(IsPowerOfTwo(1U));
  EXPECT_TRUE(IsPowerOfTwo(std::uint64_t{1} << 63));
}

TEST(IsAligned, Multiples_Are) {
  EXPECT_TRUE(IsAligned(0U, 128));
  EXPECT_FALSE(IsAligned(127U, 128));
  EXPECT_TRUE(IsAligned(127U, 1));
}

TEST(AlignUp, Values_GoToTheNextMultiple) {
  EXPECT_EQ(AlignUp(0U, 128), 0U);
  EXPECT_EQ(AlignUp(1U, 128), 128U);
  EXPECT_EQ(AlignUp(128U, 128), 128U);
  EXPECT_EQ(AlignUp(129U, 128), 256U);
}

TEST(CheckedAlignUp, PastTheType_IsNothing) {
  EXPECT_EQ(CheckedAlignUp(kTop32, 128), std::nullopt);
  EXPECT_EQ(CheckedAlignUp(kTop32 - 127, 128), kTop32 - 127);
  EXPECT_EQ(CheckedAlignUp(std::uint8_t{250}, 16), std::nullopt);
}

TEST(CheckedAdd, PastTheType_IsNothing) {
  EXPECT_EQ(CheckedAdd(kTop32, 1), std::nullopt);
  EXPECT_EQ(CheckedAdd(kTop32 - 1, 1), kTop32);
  EXPECT_EQ(CheckedAdd(std::uint8_t{255}, 1), std::nullopt);
}

TEST(AlignedDeathTest, AlignUpPastTheType_EndsProcess) { EXPECT_DEATH(static_cast<void>(AlignUp(kTop32, 128)), "check failed"); }

}  // namespace
}  // namespace tandem
