#include "kernel/memory/range_allocator.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tandem::kernel {
namespace {

TEST(RangeAllocator, Allocate_LowestThatFits) {
  RangeAllocator ranges(0x10000);
  EXPECT_EQ(ranges.Allocate(0x1000, 0x1000), 0u);
  EXPECT_EQ(ranges.Allocate(0x1000, 0x4000), 0x4000u);
  EXPECT_EQ(ranges.Allocate(0x3000, 0x1000), 0x1000u);
  EXPECT_EQ(ranges.Allocate(0x10000, 0x1000), std::nullopt);
}

TEST(RangeAllocator, Free_MergesWithBothNeighbours) {
  RangeAllocator ranges(0x3000);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(ranges.Allocate(0x1000, 0x1000), i * 0x1000);
  EXPECT_EQ(ranges.Allocate(1, 1), std::nullopt);
  ranges.Free(0, 0x1000);
  ranges.Free(0x2000, 0x1000);
  ranges.Free(0x1000, 0x1000);
  EXPECT_EQ(ranges.Allocate(0x3000, 0x1000), 0u);
}

TEST(RangeAllocator, ManyInAnyOrder_NeverOverlap_AndAllComeBack) {
  constexpr std::uint64_t kSize = 1 << 20;
  RangeAllocator ranges(kSize);
  std::vector<bool> used(kSize / 64);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> held;
  std::mt19937 random(7);
  for (int round = 0; round < 4000; ++round) {
    if (held.empty() || random() % 3 != 0) {
      const std::uint64_t size = (random() % 200 + 1) * 64;
      const auto offset = ranges.Allocate(size, 64ULL << random() % 6);
      if (!offset) continue;
      ASSERT_LE(*offset + size, kSize);
      for (std::uint64_t i = *offset / 64; i < (*offset + size) / 64; ++i) {
        ASSERT_FALSE(used[i]);
        used[i] = true;
      }
      held.emplace_back(*offset, size);
    } else {
      const auto [offset, size] = held[random() % held.size()];
      std::erase(held, std::pair(offset, size));
      for (std::uint64_t i = offset / 64; i < (offset + size) / 64; ++i) used[i] = false;
      ranges.Free(offset, size);
    }
  }
  for (const auto& [offset, size] : held) ranges.Free(offset, size);
  EXPECT_EQ(ranges.free_bytes(), kSize);
  EXPECT_EQ(ranges.Allocate(kSize, 64), 0u);
}

}  // namespace
}  // namespace tandem::kernel
