// Decodes the bytes of a tile to rows that are added up. Needs instructions that move many bytes by a mask and multiply by
// matrices of bits. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_ROWS_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_ROWS_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_ROWS_INL_H_
#endif

#include <cstring>

#include "codec/simd/strip_bytes-inl.h"
#include "codec/simd/strip_words-inl.h"
#include "codec/tiles/tile_format.h"
#include "codec/tiles/tile_widths.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL

// A tile with a vector for each channel and a row in each word. Each row is a difference to the row above; `base` stands above
// the first row. Blue and red already contain green, which is valid because all later steps are sums.
template <std::uint32_t kChannels>
struct TileRows {
  __m512i at[kChannels];
  std::uint32_t base;           // a byte for each channel; blue and red as difference to green
  std::uint32_t adds_to_first;  // 0xFF: each row adds to the first sample above; 0: each sample adds to its own
};

// Indexed by predictor: samples that are sums of those left of them.
alignas(64) inline constexpr std::uint64_t kSummedBytes[4] = {~0ULL, 0xFF, ~0ULL, ~0ULL};

HWY_INLINE __m512i SumsAlongRows(__m512i v, __mmask64 summed) {
  v = _mm512_mask_add_epi8(v, summed, v, _mm512_slli_epi64(v, 8));
  v = _mm512_mask_add_epi8(v, summed, v, _mm512_slli_epi64(v, 16));
  return _mm512_mask_add_epi8(v, summed, v, _mm512_slli_epi64(v, 32));
}

// Reads a predicted tile's base, with one byte too many for three channels.
HWY_INLINE std::uint32_t Base(const std::uint8_t* tile) {
  std::uint32_t base = 0;
  std::memcpy(&base, tile + 1, sizeof(base));
  return base;
}

template <std::uint32_t kChannels>
HWY_INLINE TileRows<kChannels> ReadPredicted(const std::uint8_t* tile) {
  TileRows<kChannels> rows;
  const std::uint32_t head = tile[0];
  alignas(32) std::uint64_t kept[kMaxChannels];
  _mm256_store_si256(reinterpret_cast<__m256i*>(kept), KeptBytes(tile + 1 + kChannels, head >> 2 & 15U));
  const std::uint8_t* at = tile + 1 + kChannels + 3 * std::size_t{kBitCounts[head >> 2 & 15U]};
  HWY_UNROLL(4)
  for (std::uint32_t c = 0; c < kChannels; ++c) {
    __m512i packed = _mm512_loadu_si512(at);
    asm("" : "+v"(packed));  // else the compiler expands from memory, which is slower on Zen 4
    rows.at[c] = TransposeAndUnfold(V64{_mm512_maskz_expand_epi8(kept[c], packed)}).raw;
    at += _mm_popcnt_u64(kept[c]);
  }
  if constexpr (kChannels > 1) {
    rows.at[1] = _mm512_add_epi8(rows.at[1], rows.at[0]);
    rows.at[2] = _mm512_add_epi8(rows.at[2], rows.at[0]);
  }
  const std::uint32_t predictor = head & 3U;
  HWY_UNROLL(4)
  for (std::uint32_t c = 0; c < kChannels; ++c) rows.at[c] = SumsAlongRows(rows.at[c], kSummedBytes[predictor]);
  rows.base = Base(tile);
  rows.adds_to_first = predictor == static_cast<std::uint32_t>(Predictor::kLeft) ? 0xFF : 0;
  return rows;
}

// Converts samples to differences to the row above.
template <std::uint32_t kChannels>
HWY_INLINE TileRows<kChannels> FromSamples(const __m512i (&channels)[kChannels]) {
  TileRows<kChannels> rows;
  for (std::uint32_t c = 0; c < kChannels; ++c) {
    const __m512i added = c == 1 || c == 2 ? _mm512_add_epi8(channels[c], channels[0]) : channels[c];
    rows.at[c] = _mm512_sub_epi8(added, _mm512_alignr_epi64(added, _mm512_setzero_si512(), 7));
  }
  rows.base = 0;
  rows.adds_to_first = 0;
  return rows;
}

template <std::uint32_t kChannels>
HWY_INLINE TileRows<kChannels> ReadPaletteRows(const std::uint8_t* tile, std::uint32_t colors) {
  const std::uint32_t table_bytes = kChannels * colors;  // no index reaches the bytes behind them
  const __m512i table = _mm512_maskz_loadu_epi8(~0ULL >> (64 - table_bytes), tile);
  const std::uint8_t* const bits_at = tile + table_bytes;
  __m512i places = _mm512_setzero_si512();
  for (std::uint32_t bit = 0; bit < PaletteIndexBits(colors); ++bit) {
    __mmask64 set = 0;
    std::memcpy(&set, bits_at + 8 * bit, sizeof(set));
    places = _mm512_mask_add_epi8(places, set, places, _mm512_set1_epi8(static_cast<char>(kChannels << bit)));
  }
  __m512i channels[kChannels];
  for (__m512i& channel : channels) {
    channel = _mm512_permutexvar_epi8(places, table);
    places = _mm512_add_epi8(places, _mm512_set1_epi8(1));
  }
  return FromSamples<kChannels>(channels);
}

// Shifts samples left again and adds half of the range that was dropped.
template <std::uint32_t kChannels>
HWY_INLINE void Undrop(std::uint32_t bits, TileRows<kChannels>& rows) {
  const __m512i kept = _mm512_set1_epi8(static_cast<char>(0xFF << bits));
  for (__m512i& channel : rows.at)
    channel = _mm512_and_si512(_mm512_sll_epi16(channel, _mm_cvtsi32_si128(static_cast<int>(bits))), kept);
  const std::uint32_t kept_of_base = 0x01010101U * (0xFFU << bits & 0xFFU);
  rows.base = (rows.base << bits & kept_of_base) + (0x01000001U << (bits - 1));  // blue and red contain green's half
}

template <std::uint32_t kChannels>
HWY_NOINLINE void ReadOther(const CodedTile& tile, TileRows<kChannels>& rows) {
  __m512i channels[kChannels];
  for (std::uint32_t c = 0; c < kChannels; ++c) {
    channels[c] =
        tile.entry == kEntryRaw ? _mm512_loadu_si512(tile.bytes + std::size_t{kTileSamples} * c) : _mm512_setzero_si512();
  }
  if (tile.entry >= kEntryPredicted) {
    rows = ReadPredicted<kChannels>(tile.bytes);
    const std::uint32_t dropped = kDroppedBits[tile.bytes[0] >> 6];
    if (dropped != 0) Undrop(dropped, rows);
  } else if (tile.entry >= kEntryPalette) {
    rows = ReadPaletteRows<kChannels>(tile.bytes, tile.entry - kEntryPalette + 2U);
  } else {
    rows = FromSamples<kChannels>(channels);
  }
}

template <std::uint32_t kChannels>
HWY_INLINE TileRows<kChannels> ReadRows(const CodedTile& tile) {
  if (HWY_LIKELY(tile.entry >= kEntryPredicted && tile.bytes[0] < 0x40)) return ReadPredicted<kChannels>(tile.bytes);
  TileRows<kChannels> rows;
  ReadOther(tile, rows);
  return rows;
}

#endif  // HWY_TARGET == HWY_AVX3_DL

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
