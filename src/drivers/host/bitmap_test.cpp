#include <ntddk.h>

#include <gtest/gtest.h>

namespace {

class Bitmap : public testing::Test {
 protected:
  Bitmap() { RtlInitializeBitMap(&map, words, 70); }
  ULONG words[4] = {0, 0, 0, 0xA5A5A5A5};
  RTL_BITMAP map{};
};

TEST_F(Bitmap, SetBits_AcrossWords_LeavesTheOthers) {
  RtlSetBits(&map, 30, 36);
  EXPECT_EQ(words[0], 0xC0000000u);
  EXPECT_EQ(words[1], 0xFFFFFFFFu);
  EXPECT_EQ(words[2], 3u);
  EXPECT_EQ(RtlNumberOfSetBits(&map), 36u);
  EXPECT_EQ(RtlNumberOfClearBits(&map), 34u);
  EXPECT_TRUE(RtlAreBitsSet(&map, 30, 36));
  EXPECT_FALSE(RtlAreBitsSet(&map, 29, 2));
  EXPECT_FALSE(RtlAreBitsSet(&map, 30, 0));
  RtlClearBits(&map, 32, 32);
  EXPECT_TRUE(RtlAreBitsClear(&map, 32, 32));
  EXPECT_FALSE(RtlAreBitsClear(&map, 66, 5)) << "bit 70 is past the end";
  EXPECT_EQ(words[3], 0xA5A5A5A5u);
}

TEST_F(Bitmap, AllBits_WriteTheLastWordWhole) {
  RtlSetAllBits(&map);
  EXPECT_EQ(words[2], 0xFFFFFFFFu);
  EXPECT_EQ(words[3], 0xA5A5A5A5u);
  RtlClearAllBits(&map);
  EXPECT_EQ(RtlNumberOfSetBits(&map), 0u);
}

TEST_F(Bitmap, FindClearBitsAndSet_BeginsAtTheHint_AndWrapsOnce) {
  EXPECT_EQ(RtlFindClearBitsAndSet(&map, 4, 60), 60u);
  EXPECT_EQ(RtlFindClearBitsAndSet(&map, 4, 60), 64u);
  EXPECT_EQ(RtlFindClearBitsAndSet(&map, 4, 60), 0u);
  EXPECT_EQ(RtlFindClearBitsAndSet(&map, 57, 0), 0xFFFFFFFFu);
  EXPECT_EQ(RtlFindClearBits(&map, 56, 0), 4u);
  EXPECT_EQ(RtlFindClearBits(&map, 1, 999), 4u) << "a hint past the end is none";
  EXPECT_EQ(RtlFindClearBits(&map, 0, 13), 8u);
  EXPECT_EQ(RtlFindSetBits(&map, 8, 1), 60u);
  EXPECT_EQ(RtlFindSetBitsAndClear(&map, 8, 1), 60u);
  EXPECT_FALSE(RtlTestBit(&map, 60));
}

TEST_F(Bitmap, Runs_OfClearBits) {
  RtlSetBit(&map, 0);
  RtlSetBits(&map, 5, 3);
  RtlSetBits(&map, 60, 10);
  ULONG start = 99;
  EXPECT_EQ(RtlFindFirstRunClear(&map, &start), 4u);
  EXPECT_EQ(start, 1u);
  EXPECT_EQ(RtlFindNextForwardRunClear(&map, 6, &start), 52u);
  EXPECT_EQ(start, 8u);
  EXPECT_EQ(RtlFindNextForwardRunClear(&map, 61, &start), 0u);
  EXPECT_EQ(start, 61u);
  EXPECT_EQ(RtlFindLastBackwardRunClear(&map, 6, &start), 4u);
  EXPECT_EQ(start, 1u);
  EXPECT_EQ(RtlFindLongestRunClear(&map, &start), 52u);
  EXPECT_EQ(start, 8u);
  RTL_BITMAP_RUN runs[3]{};
  EXPECT_EQ(RtlFindClearRuns(&map, runs, 3, TRUE), 2u);
  EXPECT_EQ(runs[0].StartingIndex, 8u);
  EXPECT_EQ(runs[1].NumberOfBits, 4u);
  EXPECT_EQ(RtlFindClearRuns(&map, runs, 1, FALSE), 1u);
  EXPECT_EQ(runs[0].StartingIndex, 1u);
}

TEST(Bits, OfNumbers) {
  EXPECT_EQ(RtlFindMostSignificantBit(0x8000000000000001ull), 63);
  EXPECT_EQ(RtlFindLeastSignificantBit(0x8000000000000000ull), 63);
  EXPECT_EQ(RtlFindMostSignificantBit(0), -1);
}

}  // namespace
