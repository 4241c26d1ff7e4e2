#include "color/dither.h"

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "color/channels.h"
#include "color/model.h"

namespace tandem::color {
namespace {

// Values times 255 in 1/256, 0..65280, for each code of a channel.
using FixedTable = std::vector<std::uint16_t>;

FixedTable MakeTable(ChannelCode code, Transfer transfer) {
  FixedTable table(CodeCount(code));
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    double value = code == ChannelCode::kHalf ? HalfToDouble(static_cast<std::uint16_t>(i)) : i / (CodeCount(code) - 1.0);
    if (transfer == Transfer::kLinearToSrgb) value = LinearToSrgb(value);
    value = !(value > 0) ? 0 : value < 1 ? value : 1;
    table[i] = static_cast<std::uint16_t>(std::floor(value * 255 * 256 + 0.5));
  }
  return table;
}

const FixedTable& TableOf(ChannelCode code, Transfer transfer) {
  static const FixedTable halves = MakeTable(ChannelCode::kHalf, Transfer::kPassThrough);
  static const FixedTable linear_halves = MakeTable(ChannelCode::kHalf, Transfer::kLinearToSrgb);
  static const FixedTable ten_bits = MakeTable(ChannelCode::kUnorm10, Transfer::kPassThrough);
  if (code == ChannelCode::kUnorm10) return ten_bits;
  return transfer == Transfer::kLinearToSrgb ? linear_halves : halves;
}

// Of one row of the pattern.
using Thresholds = std::array<std::uint16_t, 8>;

constexpr std::array<Thresholds, 8> kThresholds = [] {
  std::array<Thresholds, 8> rows{};
  for (std::uint32_t y = 0; y < 8; ++y) {
    for (std::uint32_t x = 0; x < 8; ++x) rows[y][x] = static_cast<std::uint16_t>(4 * DitherRank(x, y) + 2);
  }
  return rows;
}();

std::uint32_t Pack(std::uint32_t red, std::uint32_t green, std::uint32_t blue, std::uint32_t alpha) {
  return blue >> 8 | green >> 8 << 8 | red >> 8 << 16 | alpha << 24;
}

void HalfRow(std::byte* to, const std::byte* from, std::uint32_t width, const FixedTable& colors, const Thresholds& thresholds) {
  const std::uint16_t* const alphas = ChannelTable(ChannelCode::kHalf, ChannelCode::kUnorm8, Transfer::kPassThrough);
  for (std::uint32_t x = 0; x < width; ++x, from += 8, to += 4) {
    std::array<std::uint16_t, 4> codes{};
    std::memcpy(codes.data(), from, sizeof(codes));
    const std::uint32_t threshold = thresholds[x % 8];
    const std::uint32_t pixel =
        Pack(colors[codes[0]] + threshold, colors[codes[1]] + threshold, colors[codes[2]] + threshold, alphas[codes[3]]);
    std::memcpy(to, &pixel, sizeof(pixel));
  }
}

void TenBitRow(std::byte* to, const std::byte* from, std::uint32_t width, const FixedTable& colors,
               const Thresholds& thresholds) {
  for (std::uint32_t x = 0; x < width; ++x, from += 4, to += 4) {
    std::uint32_t codes = 0;
    std::memcpy(&codes, from, sizeof(codes));
    const std::uint32_t threshold = thresholds[x % 8];
    const std::uint32_t pixel = Pack(colors[codes & 1023] + threshold, colors[codes >> 10 & 1023] + threshold,
                                     colors[codes >> 20 & 1023] + threshold, (codes >> 30) * 85);
    std::memcpy(to, &pixel, sizeof(pixel));
  }
}

}  // namespace

void DitherToBgra8(std::byte* destination, std::uint64_t destination_pitch, const ConversionSource& source, Transfer transfer,
                   Alpha alpha, std::uint32_t first_row) {
  const bool half = source.format == Format::kR16G16B16A16Float;
  if (!half && source.format != Format::kR10G10B10A2Unorm) {
    ConvertToBgra8(destination, destination_pitch, source, transfer, alpha);
    return;
  }
  const FixedTable& colors = TableOf(half ? ChannelCode::kHalf : ChannelCode::kUnorm10, transfer);
  for (std::uint32_t y = 0; y < source.height; ++y) {
    std::byte* const to = destination + y * destination_pitch;
    (half ? HalfRow : TenBitRow)(to, source.pixels + y * source.pitch, source.width, colors, kThresholds[(first_row + y) % 8]);
    if (alpha == Alpha::kKeep) continue;
    for (std::uint32_t x = 0; x < source.width; ++x) to[4ULL * x + 3] = std::byte{255};
  }
}

}  // namespace tandem::color
