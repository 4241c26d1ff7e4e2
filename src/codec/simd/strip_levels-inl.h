// Sizes and bytes of eight tiles at a budget's levels, and their means. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_LEVELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_LEVELS_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_LEVELS_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_LEVELS_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstring>

#include "codec/simd/strip_code-inl.h"
#include "codec/simd/strip_encode-inl.h"
#include "codec/simd/strip_pixels-inl.h"
#include "codec/tiles/tile_format.h"
#include "codec/tiles/tile_writer.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

void Means(const StripPlanes& planes, std::uint32_t channels, std::uint32_t (&colors)[kStripTiles]) {
  const D8 d8;
  const D64 d64;
  for (std::size_t x = 0; x < kStripWidth; x += kVectorBytes) {
    V64 green = hn::Zero(d64);
    V64 all = hn::Zero(d64);
    for (std::uint32_t c = 0; c < channels; ++c) {
      const bool is_difference = c == 1 || c == 2;
      V64 sum = hn::Set(d64, std::uint64_t{kTileSamples / 2});
      for (std::uint32_t y = 0; y < kTileExtent; ++y) {
        const V8 row = hn::Load(d8, planes.at[c][y] + x);
        sum = hn::Add(sum, hn::SumsOf8(is_difference ? hn::Add(row, hn::Load(d8, planes.at[0][y] + x)) : row));
      }
      V64 mean = hn::ShiftRight<6>(sum);
      if (c == 0) green = mean;
      if (is_difference) mean = hn::And(hn::Sub(mean, green), hn::Set(d64, std::uint64_t{0xFF}));
      all = hn::Or(all, hn::ShiftLeftSame(mean, static_cast<int>(8 * c)));
    }
    HWY_ALIGN std::uint64_t words[kVectorTiles];
    hn::Store(all, d64, words);
    for (std::size_t i = 0; i < kVectorTiles; ++i) colors[x / kTileExtent + i] = static_cast<std::uint32_t>(words[i]);
  }
}

#if HWY_TARGET == HWY_AVX3_DL

// Shifts each sample right by multiplying its bits by a matrix.
template <std::uint32_t kChannels>
HWY_INLINE void Drop(std::uint32_t bits, TileSamples<kChannels>& tile) {
  constexpr std::uint64_t kSameBits = 0x0102040810204080ULL;
  const __m512i matrix = _mm512_set1_epi64(static_cast<std::int64_t>(kSameBits << (8 * bits)));
  HWY_UNROLL(4)
  for (std::uint32_t c = 0; c < kChannels; ++c) tile.at[c] = _mm512_gf2p8affine_epi64_epi8(tile.at[c], matrix, 0);
}

// Splits tiles that each drop their own number of bits.
template <std::uint32_t kChannels, class BitsOf>
HWY_INLINE void SplitAndDrop(const std::byte* samples, std::uint64_t pitch, const BitsOf& bits_of,
                             TileSamples<kChannels> (&tiles)[kStripTiles]) {
  if constexpr (kChannels == 1) {
    SplitPlane(samples, pitch, tiles);
    for (std::uint32_t i = 0; i < kStripTiles; ++i) Drop(bits_of(i), tiles[i]);
  } else {
    for (std::uint32_t i = 0; i < kStripTiles; i += 2, samples += 64) {
      TileSamples<kChannels> pair[2];
      SplitColors(samples, pitch, pair[0], pair[1]);
      HWY_UNROLL(2)
      for (std::uint32_t j = 0; j < 2; ++j) {
        Drop(bits_of(i + j), pair[j]);
        SubtractGreen(pair[j]);
        tiles[i + j] = pair[j];
      }
    }
  }
}

template <std::uint32_t kChannels>
HWY_INLINE std::uint32_t SizesOfTiles(const std::byte* samples, std::uint64_t pitch, std::uint32_t drop, std::uint32_t which,
                                      std::uint64_t (&bytes)[kStripTiles]) {
  TileSamples<kChannels> tiles[kStripTiles];
  SplitAndDrop(
      samples, pitch, [drop](std::uint32_t) { return drop; }, tiles);
  PredictedTiles<kChannels> predicted;
  Choose(tiles, which, predicted);
  Predict<Fills::kSizes>(tiles, which, predicted);
  std::copy_n(predicted.bytes, kStripTiles, bytes);
  std::uint32_t same = 0;
  HWY_UNROLL(7)
  for (std::uint32_t i = 1; i < kStripTiles; ++i) same |= (AreSame(tiles[i], tiles[i - 1]) ? 1U : 0U) << i;
  return same;
}

std::uint32_t Sizes(const std::byte* samples, std::uint64_t pitch, TileContent content, std::uint32_t drop, std::uint32_t which,
                    std::uint64_t (&bytes)[kStripTiles]) {
  if (content == TileContent::kBgrx8) return SizesOfTiles<3>(samples, pitch, drop, which, bytes);
  if (content == TileContent::kBgra8) return SizesOfTiles<4>(samples, pitch, drop, which, bytes);
  return SizesOfTiles<1>(samples, pitch, drop, which, bytes);
}

template <std::uint32_t kChannels>
HWY_INLINE void EncodeTileLevels(const std::byte* samples, std::uint64_t pitch, const LeveledTile (&leveled)[kStripTiles],
                                 std::uint8_t* out) {
  TileSamples<kChannels> tiles[kStripTiles];
  // A mean needs no samples, so its drop does not matter.
  SplitAndDrop(
      samples, pitch, [&](std::uint32_t i) { return kDroppedBits[leveled[i].level % kMean]; }, tiles);
  std::uint32_t written = 0;
  std::uint32_t predicted_ones = 0;
  for (std::uint32_t i = 0; i < kStripTiles; ++i) {
    written |= (leveled[i].entry > kEntryRepeated ? 1U : 0U) << i;
    predicted_ones |= (leveled[i].entry >= kEntryPredicted ? 1U : 0U) << i;
  }
  PredictedTiles<kChannels> predicted;
  if (predicted_ones != 0) {
    Choose(tiles, predicted_ones, predicted);
    Predict<Fills::kAll>(tiles, predicted_ones, predicted);
  }
  for (std::uint32_t left = written; left != 0; left &= left - 1) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
    const auto& [entry, level, color] = leveled[i];
    if (level == kMean) {
      WriteOneColor(color, out);
    } else if (entry >= kEntryPredicted) {
      WritePredicted(predicted, i, BaseOf(tiles[i]), out);
      out[0] |= static_cast<std::uint8_t>(level << 6);
    } else if (entry >= kEntryPalette) {
      static_cast<void>(WriteFewColors(tiles[i], entry - kEntryPalette + 2U, out));
    } else {
      StoreRaw(tiles[i], out);
    }
    out += TileBytes(entry, kChannels);
  }
}

void EncodeLevels(const std::byte* samples, std::uint64_t pitch, TileContent content, const LeveledTile (&tiles)[kStripTiles],
                  std::uint8_t* out) {
  if (content == TileContent::kBgrx8) return EncodeTileLevels<3>(samples, pitch, tiles, out);
  if (content == TileContent::kBgra8) return EncodeTileLevels<4>(samples, pitch, tiles, out);
  EncodeTileLevels<1>(samples, pitch, tiles, out);
}

#else

std::uint32_t Sizes(const std::byte* samples, std::uint64_t pitch, TileContent content, std::uint32_t drop,
                    std::uint32_t /*which*/, std::uint64_t (&bytes)[kStripTiles]) {
  StripPlanes planes;
  StripCode code;
  Split(samples, pitch, 0, content, drop, planes);
  Predict(planes, ChannelsOf(content), code);
  std::copy_n(code.bytes, kStripTiles, bytes);
  return SameAsBefore(planes, ChannelsOf(content));
}

constexpr std::nullptr_t EncodeLevels = nullptr;

#endif

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
