#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "codec/tile_format.h"

namespace tandem::codec {
namespace {

constexpr std::size_t kLanes = 8;

// Eight sums beside each other, so that no multiplication waits for the one before.
struct Sums {
  std::array<std::uint64_t, kLanes> lanes{};

  void Add(const std::byte* bytes, std::size_t blocks) { AddLanes(bytes, blocks, std::make_index_sequence<kLanes>()); }

 private:
  template <std::size_t... kLane>
  void AddLanes(const std::byte* bytes, std::size_t blocks, std::index_sequence<kLane...>) {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;  // 2^64 over the golden ratio
    std::array<std::uint64_t, kLanes> sums = lanes;
    for (; blocks > 0; --blocks, bytes += 8 * kLanes) {
      ((sums[kLane] = (std::rotl(sums[kLane], 29) ^ WordAt(bytes + 8 * kLane)) * kOdd), ...);
    }
    lanes = sums;
  }

  static std::uint64_t WordAt(const std::byte* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    return word;
  }
};

}  // namespace

std::uint64_t BytesChecksum(std::span<const std::byte> head, std::span<const std::byte> rest) {
  constexpr std::size_t kBlock = 8 * kLanes;
  TANDEM_CHECK(head.size() <= kBlock);
  Sums sums;
  std::array<std::byte, kBlock> block{};
  std::copy(head.begin(), head.end(), block.begin());
  sums.Add(block.data(), 1);
  sums.Add(rest.data(), rest.size() / kBlock);
  block.fill(std::byte{0});
  std::copy(rest.end() - static_cast<std::ptrdiff_t>(rest.size() % kBlock), rest.end(), block.begin());
  sums.Add(block.data(), 1);
  std::uint64_t sum = rest.size();
  for (const std::uint64_t lane : sums.lanes) sum = (std::rotl(sum, 31) ^ lane) * 0xD6E8FEB86659FD93ULL;
  return sum ^ (sum >> 32);
}

std::uint64_t TileSliceChecksum(const TileSliceHeader& header, const std::byte* rest, std::size_t rest_bytes) {
  TileSliceHeader without = header;
  without.checksum = 0;
  return BytesChecksum(std::as_bytes(std::span(&without, 1)), {rest, rest_bytes});
}

}  // namespace tandem::codec
