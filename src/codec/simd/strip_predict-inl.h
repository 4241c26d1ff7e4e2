// Predictors and residuals of eight tiles. Needs vectors of 64 samples that multiply by matrices of bits. Included once for
// each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_PREDICT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_PREDICT_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_PREDICT_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_PREDICT_INL_H_
#endif

#include <array>
#include <bit>

#include "codec/simd/strip_tiles-inl.h"
#include "codec/simd/strip_words-inl.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL

constexpr std::uint64_t kBelowFirstRow = ~0xFFULL;

// Eight tiles in the form that is written with their predictors.
template <std::uint32_t kChannels>
struct PredictedTiles {
  alignas(64) std::uint64_t rows[kStripTiles][kChannels][kTileExtent];  // bits of the residuals, transposed
  alignas(64) std::uint64_t kept[kChannels][kStripTiles];               // mask of their kept bytes
  alignas(64) std::uint64_t width_bits[kChannels][kStripTiles];         // StripCode::width_bits
  alignas(64) std::uint64_t bytes[kStripTiles];
  alignas(64) std::uint64_t steps[kStripTiles];
  std::uint8_t predictors[kStripTiles];
};

// The row above each row; the first row stands above itself.
HWY_INLINE __m512i RowsAbove(__m512i samples) {
  return _mm512_mask_alignr_epi64(samples, 0xFE, samples, _mm512_setzero_si512(), 7);
}

// Sizes of each predictor's residuals, summed in each word.
struct Costs {
  __m512i left, above, plane;
};

HWY_INLINE __m512i AddSizes(__m512i cost, __m512i residuals) {
  return _mm512_add_epi64(cost, _mm512_sad_epu8(_mm512_abs_epi8(residuals), _mm512_setzero_si512()));
}

// Adds the costs of a channel's rows and returns the residuals of kLeft.
HWY_INLINE __m512i AddCosts(__m512i rows, __m512i rows_above, Costs& costs) {
  const __m512i firsts = _mm512_set1_epi64(0xFF);
  const __m512i before = _mm512_ternarylogic_epi64(_mm512_slli_epi64(rows, 8), rows_above, firsts, 0xF8);  // 1st | (2nd & 3rd)
  const __m512i left = _mm512_sub_epi8(rows, before);
  const __m512i above = _mm512_sub_epi8(rows, rows_above);
  costs.left = AddSizes(costs.left, left);
  costs.above = AddSizes(costs.above, above);
  costs.plane = AddSizes(costs.plane, _mm512_sub_epi8(above, _mm512_slli_epi64(above, 8)));
  return left;
}

// Adds the lower and upper halves of vectors: the first two side by side, then the other two.
HWY_INLINE __m512i SumsOfHalves(const __m512i (&vectors)[4]) {
  const auto pair = [&](std::uint32_t i) {
    return _mm512_add_epi64(_mm512_unpacklo_epi64(vectors[i], vectors[i + 1]), _mm512_unpackhi_epi64(vectors[i], vectors[i + 1]));
  };
  const __m512i a = pair(0);
  const __m512i b = pair(2);
  return _mm512_add_epi64(_mm512_shuffle_i64x2(a, b, 0x88), _mm512_shuffle_i64x2(a, b, 0xDD));
}

// Chooses the predictors of the tiles in `which` and counts their steps, by rows 1, 3, 5 and 7. A vector holds two tiles.
template <std::uint32_t kChannels>
HWY_INLINE void Choose(const TileSamples<kChannels> (&tiles)[kStripTiles], std::uint32_t which,
                       PredictedTiles<kChannels>& predicted) {
  const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  __m512i sums[4];  // three sums of at most 15 bits side by side: kLeft, kAbove and kPlane
  for (std::uint32_t pair = 0; pair < 4; ++pair) {
    const std::uint32_t i = pair / 2 * 4 + pair % 2;  // the order that SumsOfHalves undoes
    sums[pair] = _mm512_setzero_si512();
    if ((which >> i & 5) == 0) continue;
    Costs costs = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
    __m512i moved = _mm512_setzero_si512();
    HWY_UNROLL(4)
    for (std::uint32_t c = 0; c < kChannels; ++c) {
      const __m512i rows = _mm512_permutex2var_epi64(tiles[i].at[c], odd, tiles[i + 2].at[c]);
      const __m512i rows_above = _mm512_permutex2var_epi64(tiles[i].at[c], even, tiles[i + 2].at[c]);
      moved = _mm512_or_si512(moved, AddCosts(rows, rows_above, costs));
    }
    const std::uint64_t moved_samples = _mm512_test_epi8_mask(moved, moved);
    predicted.steps[i] = static_cast<std::uint32_t>(std::popcount(static_cast<std::uint32_t>(moved_samples)));
    predicted.steps[i + 2] = static_cast<std::uint32_t>(std::popcount(moved_samples >> 32));
    sums[pair] =
        _mm512_or_si512(_mm512_or_si512(costs.left, _mm512_slli_epi64(costs.above, 16)), _mm512_slli_epi64(costs.plane, 32));
  }
  const __m512i all = SumsOfHalves(sums);
  const __m512i field = _mm512_set1_epi64(0xFFFF);
  const __m512i left = _mm512_and_si512(all, field);
  const __m512i above = _mm512_and_si512(_mm512_srli_epi64(all, 16), field);
  const __m512i plane = _mm512_srli_epi64(all, 32);
  const auto not_left = static_cast<__mmask8>(_mm512_cmpgt_epi64_mask(left, above) | _mm512_cmpgt_epi64_mask(left, plane));
  const __mmask8 by_plane = _mm512_mask_cmpgt_epi64_mask(not_left, above, plane);
  const __m512i predictors = _mm512_mask_mov_epi64(_mm512_maskz_set1_epi64(not_left, 1), by_plane, _mm512_set1_epi64(2));
  _mm_storeu_si64(predicted.predictors, _mm512_cvtepi64_epi8(predictors));
}

// Masks for each predictor, applied in this order: samples minus the one above, minus the one left of them, minus the one
// above.
inline constexpr std::uint64_t kLessAbove[3] = {0, kBelowFirstRow, kBelowFirstRow};
inline constexpr std::uint64_t kLessLeft[3] = {~0ULL, 0xFF, ~0ULL};
inline constexpr std::uint64_t kLessAboveAlone[3] = {kEveryByte, 1, 1};

HWY_INLINE __m512i ResidualsOf(__m512i samples, std::uint32_t predictor) {
  const __m512i row_above = RowsAbove(samples);
  __m512i left = _mm512_mask_sub_epi8(samples, kLessAbove[predictor], samples, row_above);
  left = _mm512_mask_sub_epi8(left, kLessLeft[predictor], left, _mm512_slli_epi64(left, 8));
  return _mm512_mask_sub_epi8(left, kLessAboveAlone[predictor], left, row_above);
}

// Indexed by tile: permutation that puts the tile's bytes in place of the first vector's, from the words of a second one.
alignas(64) inline constexpr auto kBytesOfTile = [] {
  std::array<std::array<std::uint8_t, 64>, kStripTiles> places{};
  for (std::uint32_t tile = 0; tile < kStripTiles; ++tile) {
    for (std::uint32_t i = 0; i < 64; ++i) places[tile][i] = static_cast<std::uint8_t>(i / 8 == tile ? 64 + 8 * (i % 8) : i);
  }
  return places;
}();

// Indexed by a row word's leading zero bits, in eighths: mask of its kept bytes, and the coded width.
alignas(16) inline constexpr std::uint8_t kKeptByZeros[16] = {0xFF, 0xFF, 0x3F, 0x1F, 0x0F, 0x07, 0x03, 0x01};
alignas(16) inline constexpr std::uint8_t kToldByZeros[16] = {7, 7, 6, 5, 4, 3, 2, 1};

// Codes the tiles in `which`; kSizes leaves out their rows.
enum class Fills { kAll, kSizes };

template <Fills kFills, std::uint32_t kChannels>
HWY_INLINE void Predict(const TileSamples<kChannels> (&tiles)[kStripTiles], std::uint32_t which,
                        PredictedTiles<kChannels>& predicted) {
  __m512i zeros[kChannels];  // leading zero bits of each row's word, tile by tile
  for (__m512i& channel : zeros) channel = _mm512_set1_epi8(64);
  for (std::uint32_t left = which; left != 0; left &= left - 1) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
    const __m512i places = _mm512_load_si512(kBytesOfTile[i].data());
    HWY_UNROLL(4)
    for (std::uint32_t c = 0; c < kChannels; ++c) {
      const __m512i rows = FoldAndTranspose(V8{ResidualsOf(tiles[i].at[c], predicted.predictors[i])}).raw;
      if constexpr (kFills == Fills::kAll) _mm512_store_si512(predicted.rows[i][c], rows);
      zeros[c] = _mm512_permutex2var_epi8(zeros[c], places, _mm512_lzcnt_epi64(rows));
    }
  }
  __m512i bytes = _mm512_set1_epi64(1 + kChannels);
  HWY_UNROLL(4)
  for (std::uint32_t c = 0; c < kChannels; ++c) {
    const __m512i eighths = _mm512_and_si512(_mm512_srli_epi16(zeros[c], 3), _mm512_set1_epi8(15));
    const auto look_up = [&](const std::uint8_t(&table)[16]) {
      return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(table))), eighths);
    };
    const __m512i kept = look_up(kKeptByZeros);
    _mm512_store_si512(predicted.kept[c], kept);
    _mm512_store_si512(predicted.width_bits[c], Transpose(V64{look_up(kToldByZeros)}).raw);
    bytes = _mm512_add_epi64(bytes, _mm512_popcnt_epi64(kept));
    bytes = _mm512_mask_add_epi64(bytes, _mm512_test_epi64_mask(kept, kept), bytes, _mm512_set1_epi64(3));
  }
  _mm512_store_si512(predicted.bytes, bytes);
}

#endif  // HWY_TARGET == HWY_AVX3_DL

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
