// Reads palette tiles to planes, on targets whose vectors hold less than a tile. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_PALETTE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_PALETTE_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_PALETTE_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_PALETTE_INL_H_
#endif

#include <cstring>

#include "codec/simd/strip_words-inl.h"
#include "codec/tiles/tile_format.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_AVX3_DL

// Palette indices of the rows from `first_row` on, as many as a vector holds. Each bit of the index has a byte for each row.
HWY_INLINE V8 IndicesOf(const std::uint8_t* bits_at, std::uint32_t bits, std::uint32_t first_row) {
  const D8 d8;
  const D64 d64;
  const V8 row_of_sample =
      Bytes(hn::Mul(hn::Add(hn::Iota(d64, 0), hn::Set(d64, std::uint64_t{first_row})), hn::Set(d64, kEveryByte)));
  const V8 bit_of_sample = Bytes(hn::Set(d64, std::uint64_t{0x8040201008040201}));
  V8 indices = hn::Zero(d8);
  for (std::uint32_t bit = 0; bit < bits; ++bit) {
    std::uint64_t rows = 0;
    std::memcpy(&rows, bits_at + 8 * bit, sizeof(rows));
    const V8 samples = hn::TableLookupBytes(Bytes(hn::Set(d64, rows)), row_of_sample);
    const auto is_set = hn::Ne(hn::And(samples, bit_of_sample), hn::Zero(d8));
    indices = hn::Or(indices, hn::IfThenElseZero(is_set, hn::Set(d8, static_cast<std::uint8_t>(1U << bit))));
  }
  return indices;
}

void ReadPalette(const CodedTile& tile, std::uint32_t channels, std::uint32_t index, StripPlanes& planes) {
  const D8 d8;
  const std::uint32_t count = tile.entry - kEntryPalette + 2U;
  alignas(16) std::uint8_t colors[kMaxChannels][kMaxPaletteColors] = {};
  const std::uint8_t* at = tile.bytes;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t c = 0; c < channels; ++c) colors[c][i] = *at++;
  }
  for (std::uint32_t y = 0; y < kTileExtent; y += kVectorTiles) {
    const V8 indices = IndicesOf(at, PaletteIndexBits(count), y);
    for (std::uint32_t c = 0; c < channels; ++c) {
      HWY_ALIGN std::uint8_t rows[kVectorBytes];
      hn::Store(hn::TableLookupBytes(hn::LoadDup128(d8, colors[c]), indices), d8, rows);
      for (std::size_t i = 0; i < kVectorTiles; ++i) {
        std::memcpy(planes.at[c][y + i] + std::size_t{kTileExtent} * index, rows + kTileExtent * i, kTileExtent);
      }
    }
  }
}

#endif

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
