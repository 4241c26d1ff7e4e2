// Tiles of few colours, where a vector holds 64 samples. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_FEW_COLORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_FEW_COLORS_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_FEW_COLORS_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_FEW_COLORS_INL_H_
#endif

#include <bit>

#include "codec/simd/strip_tiles-inl.h"
#include "codec/tile_writer.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL

// As many colours as there are at least: those that differ in six bits of a sum.
template <std::uint32_t kChannels>
HWY_INLINE std::uint32_t ColorsAtLeast(const TileSamples<kChannels>& tile) {
  __m512i sums = tile.at[kChannels - 1];
  for (std::uint32_t c = kChannels - 1; c > 0; --c) {
    sums = _mm512_add_epi8(_mm512_add_epi8(sums, _mm512_add_epi8(sums, sums)), tile.at[c - 1]);
  }
  const __m512i one = _mm512_set1_epi64(1);
  __m512i seen = _mm512_rolv_epi64(one, sums);  // counts are modulo 64
  HWY_UNROLL(7)
  for (std::uint32_t x = 1; x < kTileExtent; ++x) {
    sums = _mm512_srli_epi64(sums, 8);
    seen = _mm512_or_si512(seen, _mm512_rolv_epi64(one, sums));
  }
  return static_cast<std::uint32_t>(_mm_popcnt_u64(static_cast<std::uint64_t>(_mm512_reduce_or_epi64(seen))));
}

// Finds the colours as StripFunctions::colors does.
template <std::uint32_t kChannels>
HWY_INLINE std::uint32_t ColorsOf(const TileSamples<kChannels>& tile, std::uint32_t most, TileColors& colors) {
  std::uint32_t count = 0;
  for (std::uint64_t left = ~0ULL; left != 0; ++count) {
    if (count == most) return 0;
    const __m512i first = _mm512_set1_epi8(static_cast<char>(std::countr_zero(left)));
    std::uint32_t value = 0;
    __mmask64 same = ~0ULL;
    HWY_UNROLL(4)
    for (std::uint32_t c = 0; c < kChannels; ++c) {
      const __m512i channel = _mm512_permutexvar_epi8(first, tile.at[c]);
      value |= (static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm512_castsi512_si128(channel))) & 0xFF) << (8 * c);
      same = _mm512_mask_cmpeq_epi8_mask(same, channel, tile.at[c]);
    }
    colors.values[count] = value;
    colors.samples[count] = same;
    left &= ~same;
  }
  return count;
}

// Writes a tile with a palette of at most so many colours; no bytes when it has more.
template <std::uint32_t kChannels>
HWY_NOINLINE WrittenTile WriteFewColors(const TileSamples<kChannels>& tile, std::uint32_t most, std::uint8_t* out) {
  if (most < 2 || ColorsAtLeast(tile) > most) return {};
  TileColors colors;
  const std::uint32_t count = ColorsOf(tile, most, colors);
  if (count < 2) return {};
  return WritePalette(colors, count, kChannels, out);
}

#endif  // HWY_TARGET == HWY_AVX3_DL

}  // namespace tandem::codec::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
