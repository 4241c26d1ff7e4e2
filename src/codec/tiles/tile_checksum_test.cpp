#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "codec/simd/checksum_blocks.h"
#include "codec/tiles/tile_format.h"
#include "color/simd/testing/each_target.h"

namespace tandem::codec {
namespace {

std::vector<std::byte> Bytes(std::size_t size) {
  std::mt19937 random(static_cast<unsigned>(size));
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

std::uint64_t Checksum(std::span<const std::byte> bytes) { return BytesChecksum({}, bytes); }

TEST(TileChecksumTest, Blocks_OnEachTarget_AreTheReferences) {
  const auto bytes = Bytes(7 * simd::kChecksumBlockBytes + 1);
  simd::ChecksumLanes expected{1, 2, 3};
  simd::AddChecksumBlocksReference(bytes.data() + 1, 7, expected);
  color::simd::OnEachTarget([&] {
    simd::ChecksumLanes lanes{1, 2, 3};
    simd::AddChecksumBlocks(bytes.data() + 1, 7, lanes);
    EXPECT_EQ(lanes, expected);
  });
}

TEST(TileChecksumTest, AnyBitOfAnySize_IsSeen) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{127}, std::size_t{128}, std::size_t{129}, std::size_t{400}}) {
    auto bytes = Bytes(size);
    std::set<std::uint64_t> sums{Checksum(bytes)};
    for (std::size_t bit = 0; bit < 8 * size; ++bit) {
      bytes[bit / 8] ^= std::byte{1} << bit % 8;
      EXPECT_TRUE(sums.insert(Checksum(bytes)).second) << bit << " of " << size;
      bytes[bit / 8] ^= std::byte{1} << bit % 8;
    }
  }
}

TEST(TileChecksumTest, BytesCutMovedOrMoreZeros_AreSeen) {
  const auto bytes = Bytes(1024);
  std::set<std::uint64_t> sums{Checksum(bytes)};
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_TRUE(sums.insert(Checksum(std::span(bytes).first(size))).second) << size;
  }
  for (std::size_t by = 8; by < bytes.size(); by += 8) {
    auto moved = bytes;
    std::rotate(moved.begin(), moved.begin() + static_cast<std::ptrdiff_t>(by), moved.end());
    EXPECT_TRUE(sums.insert(Checksum(moved)).second) << by;
  }
  const std::vector<std::byte> zeros(1024);
  for (std::size_t size = 1; size <= zeros.size(); ++size) {
    EXPECT_TRUE(sums.insert(Checksum(std::span(zeros).first(size))).second) << size;
  }
}

TEST(TileChecksumTest, Head_IsPartOfIt) {
  const auto bytes = Bytes(300);
  const std::span all(bytes);
  std::set<std::uint64_t> sums;
  for (std::size_t head = 0; head <= 128; head += 16) {
    EXPECT_TRUE(sums.insert(BytesChecksum(all.first(head), all.subspan(head))).second) << head;
  }
}

}  // namespace
}  // namespace tandem::codec
