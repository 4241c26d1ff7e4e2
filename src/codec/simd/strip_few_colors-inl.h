// Tiles of few colours, for targets whose vectors hold 64 samples. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_FEW_COLORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_FEW_COLORS_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_FEW_COLORS_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_FEW_COLORS_INL_H_
#endif

#include <array>
#include <bit>
#include <cstring>

#include "codec/simd/strip_tiles-inl.h"
#include "codec/tiles/tile_writer.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL

// A lower bound of a tile's number of colours: those that differ in six bits of a sum.
template <std::uint32_t kChannels>
HWY_INLINE std::uint32_t ColorsAtLeast(const TileSamples<kChannels>& tile) {
  __m512i sums = tile.at[kChannels - 1];
  for (std::uint32_t c = kChannels - 1; c > 0; --c) {
    sums = _mm512_add_epi8(_mm512_add_epi8(sums, _mm512_add_epi8(sums, sums)), tile.at[c - 1]);
  }
  const __m512i one = _mm512_set1_epi64(1);
  __m512i seen = _mm512_rolv_epi64(one, sums);  // shift counts are modulo 64
  HWY_UNROLL(7)
  for (std::uint32_t x = 1; x < kTileExtent; ++x) {
    sums = _mm512_srli_epi64(sums, 8);
    seen = _mm512_or_si512(seen, _mm512_rolv_epi64(one, sums));
  }
  return static_cast<std::uint32_t>(_mm_popcnt_u64(static_cast<std::uint64_t>(_mm512_reduce_or_epi64(seen))));
}

// Mask of the samples with the colour of `sample`.
template <std::uint32_t kChannels>
HWY_INLINE std::uint64_t SamplesLike(const TileSamples<kChannels>& tile, std::uint64_t sample) {
  const __m512i place = _mm512_set1_epi8(static_cast<char>(sample));
  __m512i differences = _mm512_xor_si512(_mm512_permutexvar_epi8(place, tile.at[0]), tile.at[0]);
  HWY_UNROLL(4)
  for (std::uint32_t c = 1; c < kChannels; ++c) {
    const __m512i channel = _mm512_permutexvar_epi8(place, tile.at[c]);
    differences = _mm512_ternarylogic_epi64(differences, channel, tile.at[c], 0xF6);  // 1st | (2nd ^ 3rd)
  }
  return _mm512_testn_epi8_mask(differences, differences);
}

// Finds for each sample the first one of its colour. Returns the mask of these first samples; 0 if there are more than `most`.
//
// Each round finds two colours, those of the first and the last sample left, because a round waits for the one before.
template <std::uint32_t kChannels>
HWY_INLINE std::uint64_t FindFirsts(const TileSamples<kChannels>& tile, std::uint32_t most, __m512i& first_of) {
  std::uint64_t firsts = 0;
  first_of = _mm512_setzero_si512();
  for (std::uint64_t left = ~0ULL; left != 0;) {
    const auto lower_first = static_cast<std::uint64_t>(std::countr_zero(left));
    const std::uint64_t lower = SamplesLike(tile, lower_first);
    const std::uint64_t upper = SamplesLike(tile, 63 - static_cast<std::uint64_t>(std::countl_zero(left)));
    const auto upper_first = static_cast<std::uint64_t>(std::countr_zero(upper));
    firsts |= 1ULL << lower_first | 1ULL << upper_first;
    if (static_cast<std::uint32_t>(_mm_popcnt_u64(firsts)) > most) return 0;
    first_of = _mm512_mask_set1_epi8(first_of, lower, static_cast<char>(lower_first));
    first_of = _mm512_mask_set1_epi8(first_of, upper, static_cast<char>(upper_first));
    left &= ~(lower | upper);
  }
  return firsts;
}

// Interleaves up to 16 bytes in each quarter, one channel a quarter, to whole colours without gaps.
template <std::uint32_t kChannels>
alignas(64) inline constexpr auto kTablePlaces = [] {
  std::array<std::uint8_t, 64> places{};
  for (std::uint32_t i = 0; i < kChannels * kMaxPaletteColors; ++i) {
    places[i] = static_cast<std::uint8_t>(16 * (i % kChannels) + i / kChannels);
  }
  return places;
}();

// Mask of the tiles in `which` that may be shorter with a palette, by their predicted bytes and steps. No tile's result delays
// another.
template <std::uint32_t kChannels>
HWY_INLINE std::uint32_t MayHaveFewColors(const TileSamples<kChannels> (&tiles)[kStripTiles], std::uint32_t which,
                                          const std::uint64_t (&bytes)[kStripTiles], const std::uint64_t (&steps)[kStripTiles]) {
  which &= _mm512_cmpgt_epi64_mask(_mm512_load_si512(bytes), _mm512_set1_epi64(kPaletteWorthBytes));
  which &= _mm512_cmple_epi64_mask(_mm512_load_si512(steps), _mm512_set1_epi64(kPaletteMostSteps));
  std::uint32_t few = 0;
  for (std::uint32_t left = which; left != 0; left &= left - 1) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
    few |= (ColorsAtLeast(tiles[i]) <= MostColors(static_cast<std::uint32_t>(bytes[i]), kChannels) ? 1U : 0U) << i;
  }
  return few;
}

// Writes a tile with a palette of at most `most` colours; no bytes if it has more. Writes up to 96 bytes.
template <std::uint32_t kChannels>
HWY_NOINLINE WrittenTile WriteFewColors(const TileSamples<kChannels>& tile, std::uint32_t most, std::uint8_t* out) {
  __m512i first_of;
  const std::uint64_t firsts = FindFirsts(tile, most, first_of);
  const auto count = static_cast<std::uint32_t>(_mm_popcnt_u64(firsts));
  if (count < 2) return {};
  const auto colors = [&](std::uint32_t c) { return _mm512_castsi512_si128(_mm512_maskz_compress_epi8(firsts, tile.at[c])); };
  __m512i table = _mm512_castsi128_si512(colors(0));
  if constexpr (kChannels > 1) table = _mm512_inserti32x4(table, colors(1), 1);
  if constexpr (kChannels > 2) table = _mm512_inserti32x4(table, colors(2), 2);
  if constexpr (kChannels > 3) table = _mm512_inserti32x4(table, colors(3), 3);
  _mm512_storeu_si512(out, _mm512_permutexvar_epi8(_mm512_load_si512(kTablePlaces<kChannels>.data()), table));
  const __m512i numbers = _mm512_maskz_expand_epi8(firsts, hn::Iota(D8(), 0).raw);
  const __m512i indexes = _mm512_permutexvar_epi8(first_of, numbers);
  std::uint8_t* const bits_at = out + std::size_t{kChannels} * count;
  HWY_UNROLL(4)
  for (std::uint32_t bit = 0; bit < 4; ++bit) {
    const std::uint64_t set = _mm512_test_epi8_mask(indexes, _mm512_set1_epi8(static_cast<char>(1U << bit)));
    std::memcpy(bits_at + 8 * bit, &set, sizeof(set));
  }
  return {static_cast<std::uint8_t>(kEntryPalette + count - 2), kChannels * count + 8 * PaletteIndexBits(count)};
}

#endif  // HWY_TARGET == HWY_AVX3_DL

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
