#include "color/copy.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "color/simd/stream_rows.h"

namespace tandem::color {
namespace {

std::vector<std::byte> Pattern(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((i * 131 + (i >> 8) * 7) & 0xFF);
  return bytes;
}

struct Case {
  std::uint64_t row_bytes, rows, source_pitch, destination_pitch;
  std::size_t source_offset, destination_offset;
};

class CopyRowsTest : public testing::TestWithParam<Case> {};

TEST_P(CopyRowsTest, AnyGeometry_CopiesTheRowsAndNothingElse) {
  const Case& c = GetParam();
  const auto source = Pattern(c.source_offset + c.source_pitch * c.rows + 64);
  constexpr std::byte kUntouched{0xEE};
  const std::vector<std::byte> destination(c.destination_offset + c.destination_pitch * c.rows + 64, kUntouched);
  auto expected = destination;
  for (std::uint64_t row = 0; row < c.rows; ++row) {
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(c.source_offset + row * c.source_pitch), c.row_bytes,
                expected.begin() + static_cast<std::ptrdiff_t>(c.destination_offset + row * c.destination_pitch));
  }
  // Tests this processor's copy and the streaming copy.
  for (const auto copy : {&CopyRows, &simd::StreamRows}) {
    std::vector<std::byte> got = destination;
    copy(got.data() + c.destination_offset, c.destination_pitch, source.data() + c.source_offset, c.source_pitch, c.row_bytes,
         c.rows);
    EXPECT_EQ(got, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Geometries, CopyRowsTest,
                         testing::Values(Case{0, 4, 16, 16, 0, 0}, Case{4, 0, 16, 16, 0, 0}, Case{1, 1, 1, 1, 3, 5},
                                         Case{4, 7, 256, 12, 1, 2}, Case{257 * 4, 33, 1280, 1100, 0, 4},
                                         Case{1280 * 4, 256, 5120, 5120, 0, 0},      // one run above the threshold
                                         Case{1279 * 4, 300, 5120, 5376, 0, 0},      // rows above the threshold
                                         Case{1279 * 4 + 3, 300, 5121, 5377, 1, 7},  // nothing aligned
                                         Case{13, 90000, 17, 19, 2, 1}));            // rows shorter than a vector

TEST(CopyBytesTest, OddSizes_CopyExactly) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{63}, kStreamingThresholdBytes - 1,
                                   kStreamingThresholdBytes, kStreamingThresholdBytes + 191}) {
    const auto source = Pattern(size + 1);
    std::vector<std::byte> destination(size + 1, std::byte{0xEE});
    CopyBytes(destination.data(), source.data(), size);
    EXPECT_TRUE(std::equal(destination.begin(), destination.end() - 1, source.begin()));
    EXPECT_EQ(destination.back(), std::byte{0xEE});
  }
}

}  // namespace
}  // namespace tandem::color
