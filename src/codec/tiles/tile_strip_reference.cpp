#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "codec/tiles/tile_reader.h"
#include "codec/tiles/tile_samples.h"
#include "codec/tiles/tile_strip.h"
#include "codec/tiles/tile_strip_bytes.h"

namespace tandem::codec {
namespace {

using Tile = std::uint8_t[kTileExtent][kTileExtent];  // rows of samples of one channel

void Split(const std::byte* samples, std::uint64_t pitch, std::uint64_t /*ahead*/, TileContent content, std::uint32_t drop,
           StripPlanes& planes) {
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    for (std::uint32_t x = 0; x < kStripWidth; ++x) {
      const std::byte* const from = samples + y * pitch + x * BytesPerSample(content);
      const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(std::to_integer<unsigned>(from[i]) >> drop); };
      if (content == TileContent::kPlane8) {
        planes.at[0][y][x] = byte(0);
        continue;
      }
      planes.at[0][y][x] = byte(1);
      planes.at[1][y][x] = static_cast<std::uint8_t>(byte(0) - byte(1));
      planes.at[2][y][x] = static_cast<std::uint8_t>(byte(2) - byte(1));
      if (content == TileContent::kBgra8) planes.at[3][y][x] = byte(3);
    }
  }
}

void Join(const StripPlanes& planes, TileContent content, std::byte* samples, std::uint64_t pitch) {
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    for (std::uint32_t x = 0; x < kStripWidth; ++x) {
      std::byte* const to = samples + y * pitch + x * BytesPerSample(content);
      const auto at = [&](std::size_t c) { return planes.at[c][y][x]; };
      if (content == TileContent::kPlane8) {
        to[0] = std::byte{at(0)};
        continue;
      }
      to[0] = static_cast<std::byte>(at(1) + at(0));
      to[1] = std::byte{at(0)};
      to[2] = static_cast<std::byte>(at(2) + at(0));
      to[3] = content == TileContent::kBgra8 ? std::byte{at(3)} : std::byte{255};
    }
  }
}

// Predicts sample (x, y) from its neighbours. Precondition: not (0, 0).
std::uint8_t Prediction(const Tile& tile, std::uint32_t x, std::uint32_t y, Predictor predictor) {
  if (y == 0) return tile[0][x - 1];
  const std::uint8_t above = tile[y - 1][x];
  if (x == 0 || predictor == Predictor::kAbove) return above;
  const std::uint8_t left = tile[y][x - 1];
  return predictor == Predictor::kLeft ? left : static_cast<std::uint8_t>(left + above - tile[y - 1][x - 1]);
}

void CopyTile(const StripPlanes& planes, std::uint32_t channel, std::uint32_t index, Tile& tile) {
  for (std::uint32_t y = 0; y < kTileExtent; ++y) std::memcpy(tile[y], planes.at[channel][y] + kTileExtent * index, kTileExtent);
}

// Sum of the residuals' sizes in every other row. The first row does not count, because all predictors agree there.
std::uint64_t Cost(const StripPlanes& planes, std::uint32_t channels, std::uint32_t index, Predictor predictor) {
  std::uint64_t cost = 0;
  for (std::uint32_t c = 0; c < channels; ++c) {
    Tile tile;
    CopyTile(planes, c, index, tile);
    for (std::uint32_t y = 1; y < kTileExtent; y += 2) {
      for (std::uint32_t x = 0; x < kTileExtent; ++x) {
        cost += static_cast<std::uint64_t>(std::abs(static_cast<std::int8_t>(tile[y][x] - Prediction(tile, x, y, predictor))));
      }
    }
  }
  return cost;
}

Predictor Cheapest(const StripPlanes& planes, std::uint32_t channels, std::uint32_t index) {
  const std::uint64_t left = Cost(planes, channels, index, Predictor::kLeft);
  const std::uint64_t above = Cost(planes, channels, index, Predictor::kAbove);
  const std::uint64_t plane = Cost(planes, channels, index, Predictor::kPlane);
  if (left <= above && left <= plane) return Predictor::kLeft;
  return above <= plane ? Predictor::kAbove : Predictor::kPlane;
}

std::uint8_t Fold(std::uint8_t difference) {
  return static_cast<std::uint8_t>((difference << 1) ^ ((difference & 0x80) != 0 ? 0xFF : 0));
}

std::uint8_t Unfold(std::uint64_t folded) { return static_cast<std::uint8_t>((folded >> 1) ^ ((folded & 1) != 0 ? 0xFF : 0)); }

// Bytes of a row's word that are kept. Seven become eight, because three bits code the width.
std::uint64_t WidthOf(std::uint64_t word) {
  const auto bytes = static_cast<std::uint64_t>(std::bit_width(word) + 7) / 8;
  return bytes == 7 ? 8 : bytes;
}

std::uint64_t Steps(const StripPlanes& planes, std::uint32_t channels, std::uint32_t index) {
  std::uint64_t steps = 0;
  for (std::uint32_t y = 1; y < kTileExtent; y += 2) {
    for (std::uint32_t x = kTileExtent * index; x < kTileExtent * (index + 1); ++x) {
      bool differs = false;
      for (std::uint32_t c = 0; c < channels; ++c) {
        const auto left = x % kTileExtent == 0 ? planes.at[c][y - 1][x] : planes.at[c][y][x - 1];
        differs = differs || planes.at[c][y][x] != left;
      }
      steps += differs ? 1 : 0;
    }
  }
  return steps;
}

void Predict(const StripPlanes& planes, std::uint32_t channels, StripCode& code) {
  for (std::uint32_t index = 0; index < kStripTiles; ++index) {
    const Predictor predictor = Cheapest(planes, channels, index);
    code.predictor[index] = static_cast<std::uint64_t>(predictor);
    code.steps[index] = Steps(planes, channels, index);
    code.bytes[index] = 1 + channels;
    for (std::uint32_t c = 0; c < channels; ++c) {
      Tile tile;
      CopyTile(planes, c, index, tile);
      code.base[c][index] = tile[0][0] * kEveryByte;
      code.widths[c][index] = 0;
      for (std::uint32_t y = 0; y < kTileExtent; ++y) {
        std::uint64_t row = 0;
        for (std::uint32_t x = y == 0 ? 1 : 0; x < kTileExtent; ++x) {
          const auto difference = static_cast<std::uint8_t>(tile[y][x] - Prediction(tile, x, y, predictor));
          row |= std::uint64_t{Fold(difference)} << (8 * x);
        }
        code.rows[c][index][y] = TransposeBits(row);
        code.widths[c][index] |= WidthOf(code.rows[c][index][y]) << (8 * y);
      }
      const std::uint64_t widths = code.widths[c][index];
      code.width_bits[c][index] = TransposeBits(widths - ((widths >> 3) & kEveryByte));
      code.bytes[index] += ((widths * kEveryByte) >> 56) + (widths != 0 ? 3 : 0);
    }
  }
}

void Restore(const StripCode& code, std::uint32_t channels, StripPlanes& planes) {
  for (std::uint32_t index = 0; index < kStripTiles; ++index) {
    const auto predictor = static_cast<Predictor>(code.predictor[index]);
    for (std::uint32_t c = 0; c < channels; ++c) {
      const bool flat = std::ranges::all_of(code.widths[c], [](std::uint64_t widths) { return widths == 0; });
      Tile tile;
      for (std::uint32_t y = 0; y < kTileExtent; ++y) {
        const std::uint64_t row = flat ? 0 : TransposeBits(code.rows[c][index][y]);
        for (std::uint32_t x = 0; x < kTileExtent; ++x) {
          const auto base = static_cast<std::uint8_t>(code.base[c][index]);
          const std::uint8_t from = x == 0 && y == 0 ? base : Prediction(tile, x, y, predictor);
          tile[y][x] = static_cast<std::uint8_t>(from + Unfold((row >> (8 * x)) & 0xFF));
        }
        std::memcpy(planes.at[c][y] + kTileExtent * index, tile[y], kTileExtent);
      }
    }
  }
}

std::uint32_t Colors(const StripPlanes& planes, std::uint32_t channels, std::uint32_t index, std::uint32_t most,
                     TileColors& colors) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < kTileSamples; ++i) {
    std::uint32_t value = 0;
    for (std::uint32_t c = 0; c < channels; ++c) {
      value |= std::uint32_t{planes.at[c][i / kTileExtent][kTileExtent * index + i % kTileExtent]} << (8 * c);
    }
    std::uint32_t place = 0;
    while (place < count && colors.values[place] != value) ++place;
    if (place == most) return 0;
    if (place == count) {
      colors.values[count] = value;
      colors.samples[count++] = 0;
    }
    colors.samples[place] |= std::uint64_t{1} << i;
  }
  return count;
}

void Decode(const CodedTile (&tiles)[kStripTiles], TileContent content, std::byte* samples, std::uint64_t pitch,
            bool /*past_caches*/) {
  StripCode code;
  StripPlanes planes;
  ReadTileBytes(tiles, ChannelsOf(content), code);
  Restore(code, ChannelsOf(content), planes);
  ReadOtherTiles(tiles, ChannelsOf(content), &ReadPaletteBySamples, planes);
  Join(planes, content, samples, pitch);
}

void ChromaSteps(const StripPlanes& planes, std::uint8_t (&steps)[kStripTiles]) {
  for (std::uint32_t index = 0; index < kStripTiles; ++index) {
    int most = 0;
    for (const std::uint32_t channel : {1U, 2U}) {
      for (std::uint32_t y = 0; y < kTileExtent; ++y) {
        for (std::uint32_t x = kTileExtent * index; x < kTileExtent * (index + 1); ++x) {
          const auto at = [&](std::uint32_t column, std::uint32_t row) {
            return static_cast<std::int8_t>(planes.at[channel][row][column]);
          };
          most = std::max({most, std::abs(at(x, y) - at(x ^ 1U, y)), std::abs(at(x, y) - at(x, y ^ 1U))});
        }
      }
    }
    steps[index] = static_cast<std::uint8_t>(most);
  }
}

std::uint32_t Changed(const std::byte* a, std::uint64_t a_pitch, const std::byte* b, std::uint64_t b_pitch,
                      std::uint32_t sample_bytes, std::uint64_t /*rows_ahead*/) {
  const std::uint64_t row_bytes = std::uint64_t{kTileExtent} * sample_bytes;
  std::uint32_t changed = 0;
  for (std::uint32_t index = 0; index < kStripTiles; ++index) {
    for (std::uint32_t y = 0; y < kTileExtent; ++y) {
      const bool same = std::memcmp(a + y * a_pitch + index * row_bytes, b + y * b_pitch + index * row_bytes, row_bytes) == 0;
      changed |= same ? 0U : 1U << index;
    }
  }
  return changed;
}

std::uint32_t Sizes(const std::byte* samples, std::uint64_t pitch, TileContent content, std::uint32_t drop,
                    std::uint32_t /*which*/, std::uint64_t (&bytes)[kStripTiles]) {
  StripPlanes planes;
  StripCode code;
  Split(samples, pitch, 0, content, drop, planes);
  Predict(planes, ChannelsOf(content), code);
  std::ranges::copy(code.bytes, bytes);
  return SameAsBefore(planes, ChannelsOf(content));
}

void Differing(const std::byte* a, std::uint64_t a_pitch, const std::byte* b, std::uint64_t b_pitch, TileContent content,
               std::uint8_t (&bits)[kStripTiles]) {
  std::ranges::fill(bits, std::uint8_t{0});
  const std::uint32_t sample = BytesPerSample(content);
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    for (std::uint32_t i = 0; i < kStripWidth * sample; ++i) {
      if (content == TileContent::kBgrx8 && i % 4 == 3) continue;
      bits[i / (kTileExtent * sample)] |= std::to_integer<std::uint8_t>(a[y * a_pitch + i] ^ b[y * b_pitch + i]);
    }
  }
}

void Means(const StripPlanes& planes, std::uint32_t channels, std::uint32_t (&colors)[kStripTiles]) {
  for (std::uint32_t index = 0; index < kStripTiles; ++index) {
    std::uint32_t green = 0;
    colors[index] = 0;
    for (std::uint32_t c = 0; c < channels; ++c) {
      const bool is_difference = c == 1 || c == 2;
      std::uint32_t sum = 0;
      for (std::uint32_t y = 0; y < kTileExtent; ++y) {
        for (std::uint32_t x = kTileExtent * index; x < kTileExtent * (index + 1); ++x) {
          sum += static_cast<std::uint8_t>(planes.at[c][y][x] + (is_difference ? planes.at[0][y][x] : 0));
        }
      }
      const std::uint32_t mean = (sum + kTileSamples / 2) / kTileSamples;
      if (c == 0) green = mean;
      colors[index] |= ((is_difference ? mean - green : mean) & 0xFF) << (8 * c);
    }
  }
}

bool IsOneColorStrip(const std::byte* samples, std::uint64_t pitch, std::uint64_t /*ahead*/, TileContent content) {
  for (std::uint32_t i = 0; i < kStripTiles; ++i) {
    const TilePlace tile{samples + std::size_t{kTileExtent} * BytesPerSample(content) * i, pitch};
    if (!IsOneColor(tile, content) || FirstColor(tile, content) != FirstColor({samples, pitch}, content)) return false;
  }
  return true;
}

}  // namespace

const StripFunctions& ReferenceStripFunctions() {
  static constexpr StripFunctions kFunctions = {Split,     Predict,     WriteTileBytes, Colors,  UnsoundTileBytes,
                                                Decode,    ChromaSteps, Changed,        nullptr, Sizes,
                                                Differing, Means,       nullptr,        nullptr, IsOneColorStrip};
  return kFunctions;
}

}  // namespace tandem::codec
