#include "link/governor/slice_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace tandem::link {
namespace {

std::vector<std::uint8_t> OrderOf(const std::vector<SliceTimes>& times) {
  std::vector<std::uint8_t> order(times.size());
  OrderSlices(times, order);
  return order;
}

// Time when the last slice has crossed and is decoded.
std::uint64_t EndOf(const std::vector<SliceTimes>& times, const std::vector<std::uint8_t>& order) {
  std::uint64_t encoder = 0;
  std::uint64_t link = 0;
  std::uint64_t decoder = 0;
  for (const std::uint8_t slice : order) {
    encoder += times[slice].encode_ns;
    link = std::max(link, encoder) + times[slice].link_ns;
    decoder = std::max(decoder, link) + times[slice].decode_ns;
  }
  return decoder;
}

TEST(SliceOrder, NothingKnownOrAllAlike_AsTheyAreNumbered) {
  const std::vector<std::uint8_t> numbered = {0, 1, 2, 3, 4};
  EXPECT_EQ(OrderOf(std::vector<SliceTimes>(5)), numbered);
  EXPECT_EQ(OrderOf(std::vector<SliceTimes>(5, {100, 300, 50})), numbered);
  EXPECT_EQ(OrderOf(std::vector<SliceTimes>(5, {300, 100, 50})), numbered);
  EXPECT_TRUE(OrderOf({}).empty());
}

TEST(SliceOrder, SkyAboveLeaves_LeavesFirst) {
  EXPECT_EQ(OrderOf({{100, 10, 0}, {100, 20, 0}, {110, 500, 0}, {100, 400, 0}, {50, 200, 0}}),
            (std::vector<std::uint8_t>{4, 3, 2, 1, 0}));
}

// The link has enough to do, so the slice that is quickest to decode may be the last.
TEST(SliceOrder, EncoderIsAhead_QuickestToDecodeIsTheLast) {
  const std::vector<SliceTimes> times = {{50, 200, 60}, {90, 200, 40}, {120, 500, 150}, {110, 500, 160}};
  EXPECT_EQ(OrderOf(times), (std::vector<std::uint8_t>{0, 3, 2, 1}));
}

// The link would wait at the beginning or at the end.
TEST(SliceOrder, LinkWouldWait_StaysAsItIs) {
  EXPECT_EQ(OrderOf({{30, 200, 30}, {60, 400, 60}, {60, 400, 60}}), (std::vector<std::uint8_t>{0, 1, 2}));
  EXPECT_EQ(OrderOf({{100, 90, 5}, {100, 10, 30}, {100, 10, 30}, {100, 10, 30}}), (std::vector<std::uint8_t>{0, 1, 2, 3}));
}

TEST(SliceOrder, DecodingIsNotLaterThanWithoutALastOne) {
  std::mt19937 random(8);
  for (int round = 0; round < 200; ++round) {
    std::vector<SliceTimes> times(12);
    for (SliceTimes& slice : times) slice = {random() % 100, random() % 400, random() % 100};
    std::vector<SliceTimes> late = times;
    for (SliceTimes& slice : late) slice.encode_ns += slice.encode_ns / 2;
    const std::vector<std::uint8_t> order = OrderOf(times);
    for (SliceTimes& slice : times) slice.decode_ns = 0;
    EXPECT_LE(EndOf(late, order), EndOf(late, OrderOf(times)));
  }
}

TEST(SliceOrder, NoOrderIsShorter) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<SliceTimes> times(6);
    for (SliceTimes& slice : times) slice = {random() % 100, random() % 100, 0};
    const std::uint64_t end = EndOf(times, OrderOf(times));
    std::vector<std::uint8_t> order(times.size());
    std::iota(order.begin(), order.end(), std::uint8_t{0});
    do {
      ASSERT_LE(end, EndOf(times, order));
    } while (std::ranges::next_permutation(order).found);
  }
}

}  // namespace
}  // namespace tandem::link
