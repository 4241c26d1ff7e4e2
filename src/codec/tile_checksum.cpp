#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "codec/tile_format.h"

namespace tandem::codec {
namespace {

constexpr std::size_t kLanes = 8;

// Eight sums beside each other, so that no multiplication waits for the one before.
struct Sums {
  std::array<std::uint64_t, kLanes> lanes{};

  void Add(const std::byte* block) {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;  // 2^64 over the golden ratio
    for (std::size_t i = 0; i < kLanes; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, block + 8 * i, 8);
      lanes[i] = (std::rotl(lanes[i], 29) ^ word) * kOdd;
    }
  }
};

}  // namespace

std::uint64_t TileSliceChecksum(const TileSliceHeader& header, const std::byte* rest, std::size_t rest_bytes) {
  constexpr std::size_t kBlock = 8 * kLanes;
  Sums sums;
  std::array<std::byte, kBlock> block{};
  TileSliceHeader without = header;
  without.checksum = 0;
  std::memcpy(block.data(), &without, sizeof(without));
  sums.Add(block.data());
  std::size_t at = 0;
  for (; at + kBlock <= rest_bytes; at += kBlock) sums.Add(rest + at);
  block.fill(std::byte{0});
  std::copy(rest + at, rest + rest_bytes, block.begin());
  sums.Add(block.data());
  std::uint64_t sum = rest_bytes;
  for (const std::uint64_t lane : sums.lanes) sum = (std::rotl(sum, 31) ^ lane) * 0xD6E8FEB86659FD93ULL;
  return sum ^ (sum >> 32);
}

}  // namespace tandem::codec
