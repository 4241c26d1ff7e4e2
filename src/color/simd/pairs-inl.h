// Multiplications of neighbours that x86 has and Highway 1.0 lacks. Included once for each instruction set.
#if defined(TANDEM_COLOR_SIMD_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_COLOR_SIMD_PAIRS_INL_H_
#undef TANDEM_COLOR_SIMD_PAIRS_INL_H_
#else
#define TANDEM_COLOR_SIMD_PAIRS_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::color::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

using D8 = hn::ScalableTag<std::uint8_t>;
using D16 = hn::ScalableTag<std::int16_t>;
using D32 = hn::ScalableTag<std::int32_t>;
using V8 = hn::Vec<D8>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;

// Weights of four successive bytes.
struct ByteWeights {
  std::int8_t at[4];
};

// Sums of two products each: bytes[4i] * at[0] + bytes[4i + 1] * at[1], bytes[4i + 2] * at[2] + bytes[4i + 3] * at[3].
// Precondition: they fit 16 bits.
HWY_INLINE V16 MulBytePairs(V8 bytes, ByteWeights weights) {
  std::int32_t packed = 0;
  std::memcpy(&packed, weights.at, sizeof(packed));
  const auto w = hn::Set(D32(), packed);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return V16{_mm512_maddubs_epi16(bytes.raw, w.raw)};
#elif HWY_TARGET == HWY_AVX2
  return V16{_mm256_maddubs_epi16(bytes.raw, w.raw)};
#elif HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4
  return V16{_mm_maddubs_epi16(bytes.raw, w.raw)};
#else
  const D16 d16;
  const hn::RebindToUnsigned<D16> du16;
  const auto words = hn::BitCast(du16, bytes);
  const auto evens = hn::BitCast(d16, hn::And(words, hn::Set(du16, std::uint16_t{0xFF})));
  const auto odds = hn::BitCast(d16, hn::ShiftRight<8>(words));
  const auto signed_words = hn::BitCast(d16, w);
  return hn::Add(hn::Mul(evens, hn::ShiftRight<8>(hn::ShiftLeft<8>(signed_words))),
                 hn::Mul(odds, hn::ShiftRight<8>(signed_words)));
#endif
}

// Lane i: words[2i] * even + words[2i + 1] * odd.
HWY_INLINE V32 MulWordPairs(V16 words, std::int16_t even, std::int16_t odd) {
  const D32 d32;
  const auto weights = hn::Set(
      d32, static_cast<std::int32_t>(static_cast<std::uint16_t>(even) | (std::uint32_t{static_cast<std::uint16_t>(odd)} << 16)));
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return V32{_mm512_madd_epi16(words.raw, weights.raw)};
#elif HWY_TARGET == HWY_AVX2
  return V32{_mm256_madd_epi16(words.raw, weights.raw)};
#elif HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4
  return V32{_mm_madd_epi16(words.raw, weights.raw)};
#else
  (void)weights;
  const auto pairs = hn::BitCast(d32, words);
  const auto evens = hn::ShiftRight<16>(hn::ShiftLeft<16>(pairs));
  const auto odds = hn::ShiftRight<16>(pairs);
  return hn::Add(hn::Mul(evens, hn::Set(d32, even)), hn::Mul(odds, hn::Set(d32, odd)));
#endif
}

// Sums of four products each, of four successive bytes.
HWY_INLINE V32 SumQuads(V8 bytes, ByteWeights weights) { return MulWordPairs(MulBytePairs(bytes, weights), 1, 1); }

// The high halves: `even` in the even lanes, `odd` in the odd ones.
HWY_INLINE V16 HighHalves(V32 even, V32 odd) {
  const D16 d16;
  const hn::RebindToUnsigned<D32> du32;
  return hn::OddEven(hn::BitCast(d16, odd), hn::BitCast(d16, hn::ShiftRight<16>(hn::BitCast(du32, even))));
}

// Rounds `kBits` bits off, halves upwards; one instruction on targets with a fixed-point multiplication.
template <int kBits>
HWY_INLINE V16 RoundAway(V16 v) {
  return hn::MulFixedPoint15(v, hn::Set(D16(), static_cast<std::int16_t>(1 << (15 - kBits))));
}

// Moves byte 4 j + k to place 4 k + j in each block of 16 bytes.
HWY_INLINE V8 TransposeBytes(V8 v) {
  alignas(16) static constexpr std::uint8_t kOrder[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
  return hn::TableLookupBytes(v, hn::LoadDup128(D8(), kOrder));
}

// Permutations of 32-bit lanes between blocks of four: lane 4 l + k of one order is lane k * blocks + l of the other.
HWY_INLINE auto FromBlocks() {
  constexpr std::int32_t kBlocks = static_cast<std::int32_t>(hn::MaxLanes(D32()) / 4);
  HWY_ALIGN std::int32_t order[hn::MaxLanes(D32())] = {};
  for (std::int32_t k = 0; k < 4; ++k) {
    for (std::int32_t l = 0; l < kBlocks; ++l) order[k * kBlocks + l] = 4 * l + k;
  }
  return hn::SetTableIndices(D32(), order);
}

HWY_INLINE auto ToBlocks() {
  constexpr std::int32_t kBlocks = static_cast<std::int32_t>(hn::MaxLanes(D32()) / 4);
  HWY_ALIGN std::int32_t order[hn::MaxLanes(D32())] = {};
  for (std::int32_t k = 0; k < 4; ++k) {
    for (std::int32_t l = 0; l < kBlocks; ++l) order[4 * l + k] = k * kBlocks + l;
  }
  return hn::SetTableIndices(D32(), order);
}

template <class Order>
HWY_INLINE V8 Reorder(V8 v, Order order) {
  return hn::BitCast(D8(), hn::TableLookupLanes(hn::BitCast(D32(), v), order));
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace tandem::color::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
