// Blocks of one colour. A colour a third of the way between two codes comes nearer to the pixels than any code.
#include <algorithm>
#include <array>
#include <cstddef>

#include "codec/bc1/bc1_blocks.h"

namespace tandem::codec {
namespace {

struct Pair {
  int near = 0;  // two thirds of the value
  int far = 0;
  int error = 256;
};

constexpr int Expanded(int code, int bits) { return code << (8 - bits) | code >> (2 * bits - 8); }

constexpr int Distance(int a, int b) { return a < b ? b - a : a - b; }

// The codes that come nearest to each level; among these the pair nearest to each other, because adapters round thirds
// differently.
constexpr std::array<Pair, 256> BestPairs(int bits) {
  std::array<Pair, 256> best{};
  const int reach = 1 << (8 - bits);
  for (int near = 0; near < 1 << bits; ++near) {
    for (int far = 0; far < 1 << bits; ++far) {
      const int value = (2 * Expanded(near, bits) + Expanded(far, bits) + 1) / 3;
      for (int level = std::max(value - reach, 0); level <= std::min(value + reach, 255); ++level) {
        Pair& pair = best[static_cast<std::size_t>(level)];
        const int error = Distance(value, level);
        if (error > pair.error || (error == pair.error && Distance(near, far) >= Distance(pair.near, pair.far))) continue;
        pair = {near, far, error};
      }
    }
  }
  return best;
}

constexpr std::array<Pair, 256> kFiveBits = BestPairs(5);
constexpr std::array<Pair, 256> kSixBits = BestPairs(6);

constexpr std::uint64_t kAllTwos = 0xAAAAAAAA;
constexpr std::uint64_t kAllThrees = 0xFFFFFFFF;

}  // namespace

std::uint64_t FlatBlock(std::uint32_t color) {
  const Pair& blue = kFiveBits[color & 0xFF];
  const Pair& green = kSixBits[color >> 8 & 0xFF];
  const Pair& red = kFiveBits[color >> 16 & 0xFF];
  const auto code = [](int b, int g, int r) { return static_cast<std::uint64_t>(b | g << 5 | r << 11); };
  const std::uint64_t near = code(blue.near, green.near, red.near);
  const std::uint64_t far = code(blue.far, green.far, red.far);
  if (near == far) return near | far << 16;
  // The greater code comes first; index 2 is nearer to the first, index 3 to the second.
  return near > far ? near | far << 16 | kAllTwos << 32 : far | near << 16 | kAllThrees << 32;
}

}  // namespace tandem::codec
