#include "drivers/vulkan/display/missing_rows.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tandem::vulkan {
namespace {

std::vector<std::pair<LONG, LONG>> RunsOf(const MissingRows& rows) {
  std::vector<std::pair<LONG, LONG>> runs;
  rows.ForEachRun([&](const RECT& rect) { runs.emplace_back(rect.top, rect.bottom); });
  return runs;
}

using Runs = std::vector<std::pair<LONG, LONG>>;

TEST(MissingRows, WholeRowsInAnyOrder_LeaveTheOthers) {
  MissingRows rows;
  rows.Begin(64, 48);
  EXPECT_EQ(RunsOf(rows), (Runs{{0, 48}}));
  rows.Bring({0, 16, 64, 32});
  EXPECT_EQ(RunsOf(rows), (Runs{{0, 16}, {32, 48}}));
  rows.Bring({-3, 40, 70, 60});
  rows.Bring({0, 0, 64, 15});
  EXPECT_EQ(RunsOf(rows), (Runs{{15, 16}, {32, 40}}));
  rows.Bring({0, -5, 64, 40});
  EXPECT_FALSE(rows.any());
  EXPECT_EQ(RunsOf(rows), Runs{});
}

TEST(MissingRows, PartsOfRows_StayMissing) {
  MissingRows rows;
  rows.Begin(64, 48);
  rows.Bring({1, 0, 64, 48});
  rows.Bring({0, 0, 63, 48});
  rows.Bring({0, 60, 64, 70});
  EXPECT_EQ(RunsOf(rows), (Runs{{0, 48}}));
  rows.Clear();
  EXPECT_FALSE(rows.any());
}

TEST(MissingRows, LargestPicture_HasAllItsRows) {
  MissingRows rows;
  rows.Begin(kMaxSurfaceExtent, kMaxSurfaceExtent);
  EXPECT_EQ(RunsOf(rows), (Runs{{0, static_cast<LONG>(kMaxSurfaceExtent)}}));
}

}  // namespace
}  // namespace tandem::vulkan
