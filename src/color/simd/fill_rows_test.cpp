#include "color/fill.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace tandem::color {
namespace {

constexpr std::size_t kLineBytes = 64;

TEST(FillRowsTest, AnyGeometry_FillsThePixelsAndNothingElse) {
  struct Case {
    std::uint64_t width, rows, pitch;
    std::size_t offset;
  };
  const std::uint64_t pixel = 0x1122334455667788;
  for (const std::uint32_t bytes : {4U, 8U}) {
    for (const Case& c : {Case{1, 1, 8, 0}, Case{5, 3, 64, 3}, Case{17, 9, 256, 4}, Case{1023, 200, 8192, 0},
                          Case{1023, 200, 8192, 8}, Case{1001, 300, 8009, 5}, Case{3, 60000, 64, 12}, Case{1024, 203, 8192, 0},
                          Case{70'001, 2, 560'008, 0}, Case{0, 5, 64, 0}, Case{5, 0, 64, 0}}) {
      std::vector<std::byte> expected(c.offset + c.pitch * c.rows + 64, std::byte{0xEE});
      const std::vector<std::byte> untouched = expected;
      for (std::uint64_t y = 0; y < c.rows; ++y) {
        for (std::uint64_t x = 0; x < c.width; ++x)
          std::memcpy(expected.data() + c.offset + y * c.pitch + x * bytes, &pixel, bytes);
      }
      for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
        hwy::SetSupportedTargetsForTest(targets & -targets);
        // Offset 0 is the start of a cache line.
        std::vector<std::byte> room(untouched.size() + kLineBytes);
        std::byte* const first =
            room.data() + (kLineBytes - reinterpret_cast<std::uintptr_t>(room.data()) % kLineBytes) % kLineBytes;
        std::copy(untouched.begin(), untouched.end(), first);
        FillRows(first + c.offset, c.pitch, pixel, bytes, c.width, c.rows);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), first))
            << hwy::TargetName(targets & -targets) << " " << c.width << "x" << c.rows << " of " << bytes;
      }
      hwy::SetSupportedTargetsForTest(0);
    }
  }
}

}  // namespace
}  // namespace tandem::color
