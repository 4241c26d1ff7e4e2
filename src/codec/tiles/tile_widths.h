// Decodes the three width bytes of a predicted tile's channel.
#pragma once

#include <array>
#include <cstdint>

namespace tandem::codec {

// Spreads bit y of a byte to byte y.
inline constexpr std::array<std::uint64_t, 256> kSpreadBits = [] {
  std::array<std::uint64_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    for (std::uint32_t y = 0; y < 8; ++y) table[byte] |= std::uint64_t{byte >> y & 1} << (8 * y);
  }
  return table;
}();

// Number of bits in a tile's mask of channels.
inline constexpr std::array<std::uint8_t, 16> kBitCounts = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

// Byte y: bytes of row y.
[[nodiscard]] inline std::uint64_t RowWidths(const std::uint8_t* three) {
  return kSpreadBits[three[0]] + 2 * kSpreadBits[three[1]] + 4 * kSpreadBits[three[2]] +
         kSpreadBits[three[0] & three[1] & three[2]];
}

}  // namespace tandem::codec
