#include "swapchain/slice_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace tandem::swapchain {
namespace {

std::vector<std::uint8_t> OrderOf(const std::vector<SliceTimes>& times) {
  std::vector<std::uint8_t> order(times.size());
  OrderSlices(times, order);
  return order;
}

// When the last slice has crossed.
std::uint64_t EndOf(const std::vector<SliceTimes>& times, const std::vector<std::uint8_t>& order) {
  std::uint64_t encoder = 0;
  std::uint64_t link = 0;
  for (const std::uint8_t slice : order) {
    encoder += times[slice].encode_ns;
    link = std::max(link, encoder) + times[slice].link_ns;
  }
  return link;
}

TEST(SliceOrder, NothingKnownOrAllAlike_AsTheyAreNumbered) {
  const std::vector<std::uint8_t> numbered = {0, 1, 2, 3, 4};
  EXPECT_EQ(OrderOf(std::vector<SliceTimes>(5)), numbered);
  EXPECT_EQ(OrderOf(std::vector<SliceTimes>(5, {100, 300})), numbered);
  EXPECT_EQ(OrderOf(std::vector<SliceTimes>(5, {300, 100})), numbered);
  EXPECT_TRUE(OrderOf({}).empty());
}

TEST(SliceOrder, SkyAboveLeaves_LeavesFirst) {
  EXPECT_EQ(OrderOf({{100, 10}, {100, 20}, {110, 500}, {100, 400}, {50, 200}}), (std::vector<std::uint8_t>{4, 3, 2, 1, 0}));
}

TEST(SliceOrder, NoOrderIsShorter) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<SliceTimes> times(6);
    for (SliceTimes& slice : times) slice = {random() % 100, random() % 100};
    const std::uint64_t end = EndOf(times, OrderOf(times));
    std::vector<std::uint8_t> order(times.size());
    std::iota(order.begin(), order.end(), std::uint8_t{0});
    do {
      ASSERT_LE(end, EndOf(times, order));
    } while (std::ranges::next_permutation(order).found);
  }
}

}  // namespace
}  // namespace tandem::swapchain
