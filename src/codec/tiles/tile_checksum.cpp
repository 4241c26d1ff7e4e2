#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "codec/simd/checksum_blocks.h"
#include "codec/tiles/tile_format.h"

namespace tandem::codec {

std::uint64_t BytesChecksum(std::span<const std::byte> head, std::span<const std::byte> rest) {
  constexpr std::size_t kBlock = simd::kChecksumBlockBytes;
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;  // 2^64 over the golden ratio
  TANDEM_CHECK(head.size() <= kBlock);
  simd::ChecksumLanes lanes;
  for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = (i + 1) * kOdd;
  std::array<std::byte, kBlock> block{};
  std::copy(head.begin(), head.end(), block.begin());
  simd::AddChecksumBlocks(block.data(), 1, lanes);
  simd::AddChecksumBlocks(rest.data(), rest.size() / kBlock, lanes);
  block.fill(std::byte{0});
  std::copy(rest.end() - static_cast<std::ptrdiff_t>(rest.size() % kBlock), rest.end(), block.begin());
  simd::AddChecksumBlocks(block.data(), 1, lanes);
  std::uint64_t sum = rest.size();
  for (const std::uint64_t lane : lanes) sum = (std::rotl(sum, 31) ^ lane) * 0xD6E8FEB86659FD93ULL;
  return sum ^ (sum >> 32);
}

std::uint64_t TileSliceChecksum(const TileSliceHeader& header, const std::byte* rest, std::size_t rest_bytes) {
  TileSliceHeader without = header;
  without.checksum = 0;
  return BytesChecksum(std::as_bytes(std::span(&without, 1)), {rest, rest_bytes});
}

}  // namespace tandem::codec
