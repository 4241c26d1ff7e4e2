// Tiles as vectors, one for each channel, on targets whose vectors hold 64 samples. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_TILES_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_TILES_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_TILES_INL_H_
#endif

#include <array>

#include "codec/simd/strip_words-inl.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL

// A row of samples in each word; channels in the order of StripPlanes.
template <std::uint32_t kChannels>
struct TileSamples {
  __m512i at[kChannels];
};

template <std::uint32_t kChannels>
HWY_INLINE TileSamples<kChannels> LoadSamples(const std::uint8_t (&from)[kMaxChannels][kTileSamples]) {
  TileSamples<kChannels> tile;
  for (std::uint32_t c = 0; c < kChannels; ++c) tile.at[c] = _mm512_load_si512(from[c]);
  return tile;
}

template <std::uint32_t kChannels>
HWY_INLINE void StoreSamples(const TileSamples<kChannels>& tile, std::uint8_t (&to)[kMaxChannels][kTileSamples]) {
  for (std::uint32_t c = 0; c < kChannels; ++c) _mm512_store_si512(to[c], tile.at[c]);
}

template <std::uint32_t kChannels>
HWY_INLINE bool AreSame(const TileSamples<kChannels>& a, const TileSamples<kChannels>& b) {
  __m512i differences = _mm512_xor_si512(a.at[0], b.at[0]);
  for (std::uint32_t c = 1; c < kChannels; ++c) {
    differences = _mm512_ternarylogic_epi64(differences, a.at[c], b.at[c], 0xF6);  // 1st | (2nd ^ 3rd)
  }
  return _mm512_test_epi64_mask(differences, differences) == 0;
}

// The first sample, a byte for each channel; the bytes behind are 0.
template <std::uint32_t kChannels>
HWY_INLINE std::uint32_t BaseOf(const TileSamples<kChannels>& tile) {
  std::uint32_t base = 0;
  HWY_UNROLL(4)
  for (std::uint32_t c = 0; c < kChannels; ++c) {
    base |= (static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm512_castsi512_si128(tile.at[c]))) & 0xFF) << (8 * c);
  }
  return base;
}

// Sorts two rows of 16 pixels into eight-byte rows: two of a channel, two of the next channel, then both for the second tile.
// Index 0 is for green and blue, index 1 for red and alpha.
alignas(64) inline constexpr auto kChannelPlaces = [] {
  constexpr std::uint8_t kChannelByte[2][2] = {{1, 0}, {2, 3}};
  std::array<std::array<std::uint8_t, 64>, 2> places{};
  for (std::uint32_t pair = 0; pair < 2; ++pair) {
    for (std::uint32_t i = 0; i < 64; ++i) {
      const std::uint32_t row = i / 8 % 2;
      places[pair][i] = static_cast<std::uint8_t>(64 * row + 32 * (i / 32) + 4 * (i % 8) + kChannelByte[pair][i / 16 % 2]);
    }
  }
  return places;
}();

// Collects quarters 0 of four vectors, then quarters 1, and so on.
HWY_INLINE void TransposeQuarters(const __m512i (&rows)[4], __m512i& first, __m512i& second, __m512i& third, __m512i& fourth) {
  const __m512i lower01 = _mm512_shuffle_i64x2(rows[0], rows[1], 0x44);
  const __m512i upper01 = _mm512_shuffle_i64x2(rows[0], rows[1], 0xEE);
  const __m512i lower23 = _mm512_shuffle_i64x2(rows[2], rows[3], 0x44);
  const __m512i upper23 = _mm512_shuffle_i64x2(rows[2], rows[3], 0xEE);
  first = _mm512_shuffle_i64x2(lower01, lower23, 0x88);
  second = _mm512_shuffle_i64x2(lower01, lower23, 0xDD);
  third = _mm512_shuffle_i64x2(upper01, upper23, 0x88);
  fourth = _mm512_shuffle_i64x2(upper01, upper23, 0xDD);
}

// Splits two tiles of pixels, a cache line in each of eight rows. Green is not subtracted from blue and red.
template <std::uint32_t kChannels>
HWY_INLINE void SplitColors(const std::byte* samples, std::uint64_t pitch, TileSamples<kChannels>& a, TileSamples<kChannels>& b) {
  const __m512i green_blue = _mm512_load_si512(kChannelPlaces[0].data());
  const __m512i red_alpha = _mm512_load_si512(kChannelPlaces[1].data());
  __m512i gb[4];
  __m512i ra[4];
  HWY_UNROLL(4)
  for (std::uint32_t i = 0; i < 4; ++i, samples += 2 * pitch) {
    const __m512i upper = _mm512_loadu_si512(samples);
    const __m512i lower = _mm512_loadu_si512(samples + pitch);
    gb[i] = _mm512_permutex2var_epi8(upper, green_blue, lower);
    ra[i] = _mm512_permutex2var_epi8(upper, red_alpha, lower);
  }
  TransposeQuarters(gb, a.at[0], a.at[1], b.at[0], b.at[1]);
  if constexpr (kChannels == 4) {
    TransposeQuarters(ra, a.at[2], a.at[3], b.at[2], b.at[3]);
  } else {
    const __m512i reds01 = _mm512_shuffle_i64x2(ra[0], ra[1], 0x88);
    const __m512i reds23 = _mm512_shuffle_i64x2(ra[2], ra[3], 0x88);
    a.at[2] = _mm512_shuffle_i64x2(reds01, reds23, 0x88);
    b.at[2] = _mm512_shuffle_i64x2(reds01, reds23, 0xDD);
  }
}

template <std::uint32_t kChannels>
HWY_INLINE void SubtractGreen(TileSamples<kChannels>& tile) {
  tile.at[1] = _mm512_sub_epi8(tile.at[1], tile.at[0]);
  tile.at[2] = _mm512_sub_epi8(tile.at[2], tile.at[0]);
}

template <std::uint32_t kChannels>
HWY_INLINE void SplitPair(const std::byte* samples, std::uint64_t pitch, TileSamples<kChannels>& a, TileSamples<kChannels>& b) {
  SplitColors(samples, pitch, a, b);
  SubtractGreen(a);
  SubtractGreen(b);
}

HWY_INLINE void SplitPlane(const std::byte* samples, std::uint64_t pitch, TileSamples<1> (&tiles)[kStripTiles]) {
  V64 rows[kStripTiles];
  for (std::uint32_t y = 0; y < kTileExtent; ++y) rows[y] = V64{_mm512_loadu_si512(samples + y * pitch)};
  TransposeWords(rows);
  for (std::uint32_t i = 0; i < kStripTiles; ++i) tiles[i].at[0] = rows[i].raw;
}

#endif  // HWY_TARGET == HWY_AVX3_DL

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
