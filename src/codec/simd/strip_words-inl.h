// Vectors of eight-byte words, one for each row of a tile. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_WORDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_WORDS_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_WORDS_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_WORDS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "codec/tiles/tile_strip.h"
#include "color/simd/pairs-inl.h"

// Highway's AVX3_DL requires these of the processor, but does not enable them in the compiler. It has no target for AVX2 with
// GFNI, which has a namespace of its own here.
#undef TANDEM_STRIP_BEFORE_NAMESPACE
#undef TANDEM_STRIP_NAMESPACE
#define TANDEM_STRIP_NAMESPACE HWY_NAMESPACE
#if HWY_TARGET == HWY_AVX2 && defined(TANDEM_STRIP_WITH_GFNI)
#define TANDEM_STRIP_BEFORE_NAMESPACE() HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",gfni")
#undef TANDEM_STRIP_NAMESPACE
#define TANDEM_STRIP_NAMESPACE N_AVX2_GFNI
#elif HWY_TARGET == HWY_AVX3_DL
#define TANDEM_STRIP_BEFORE_NAMESPACE() \
  HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",avx512cd,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512bitalg,avx512vnni,gfni,popcnt")
#else
#define TANDEM_STRIP_BEFORE_NAMESPACE() HWY_BEFORE_NAMESPACE()
#endif

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

namespace hn = hwy::HWY_NAMESPACE;
using color::simd::HWY_NAMESPACE::D16;
using color::simd::HWY_NAMESPACE::D32;
using color::simd::HWY_NAMESPACE::D8;
using color::simd::HWY_NAMESPACE::V8;
using D64 = hn::ScalableTag<std::uint64_t>;
using DI64 = hn::ScalableTag<std::int64_t>;
using V64 = hn::Vec<D64>;

constexpr std::size_t kVectorBytes = hn::MaxLanes(D8());  // 16 to 64: two to eight tiles
constexpr std::size_t kVectorTiles = kVectorBytes / 8;
static_assert(kStripWidth % kVectorBytes == 0);

HWY_INLINE V64 Words(V8 v) { return hn::BitCast(D64(), v); }
HWY_INLINE V8 Bytes(V64 v) { return hn::BitCast(D8(), v); }

// Moves each word's bytes one place up; the first becomes zero.
HWY_INLINE V8 NextByte(V8 v) { return Bytes(hn::ShiftLeft<8>(Words(v))); }

// Shifts each byte right by `bits`, with 16-bit shifts and a mask.
HWY_INLINE V8 ShiftBytesRight(V8 v, std::uint32_t bits) {
  const hn::RebindToUnsigned<D16> d16;
  const auto mask = hn::Set(D8(), static_cast<std::uint8_t>(0xFF >> bits));
  return hn::And(hn::BitCast(D8(), hn::ShiftRightSame(hn::BitCast(d16, v), static_cast<int>(bits))), mask);
}

// Repeats the first byte of each word in all of its bytes.
HWY_INLINE V8 FirstOfWord(V8 v) {
  alignas(16) static constexpr std::uint8_t kFirst[16] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8};
  return hn::TableLookupBytes(v, hn::LoadDup128(D8(), kFirst));
}

// Running sums of each word's bytes.
HWY_INLINE V8 RunningSums(V8 v) {
  v = hn::Add(v, Bytes(hn::ShiftLeft<8>(Words(v))));
  v = hn::Add(v, Bytes(hn::ShiftLeft<16>(Words(v))));
  return hn::Add(v, Bytes(hn::ShiftLeft<32>(Words(v))));
}

#if HWY_TARGET == HWY_AVX3_DL || defined(TANDEM_STRIP_WITH_GFNI)

// Multiplies each word as a matrix of 8 x 8 bits. Byte 7 - i of `matrix` has the bits that make bit i of a product.
HWY_INLINE V64 MulMatrices(V64 words, V64 matrix) {
#if HWY_TARGET == HWY_AVX3_DL
  return V64{_mm512_gf2p8affine_epi64_epi8(words.raw, matrix.raw, 0)};
#else
  return V64{_mm256_gf2p8affine_epi64_epi8(words.raw, matrix.raw, 0)};
#endif
}

HWY_INLINE V64 MulBits(V64 word, std::uint64_t matrix) { return MulMatrices(word, hn::Set(D64(), matrix)); }

constexpr std::uint64_t kReverseBits = 0x8040201008040201ULL;
constexpr std::uint64_t kFoldBits = 0x808182848890A0C0ULL;              // byte 7 - i: bits that make bit i of a folded byte
constexpr std::uint64_t kFoldedBits = 0xC0A0908884828180ULL;            // byte i: the same
constexpr std::uint64_t kReverseAndUnfoldBits = 0xC0A0908884828180ULL;  // bits reversed: bit i from bits i + 1 and 0

// A word as matrix gives its transpose with the bits of each byte reversed.
HWY_INLINE V64 TransposeReversed(V64 word) { return MulMatrices(hn::Set(D64(), kReverseBits), word); }
HWY_INLINE V64 Transpose(V64 word) { return MulBits(TransposeReversed(word), kReverseBits); }
HWY_INLINE V8 Fold(V8 v) { return Bytes(MulBits(Words(v), kFoldBits)); }
HWY_INLINE V64 FoldAndTranspose(V8 v) { return MulBits(MulMatrices(hn::Set(D64(), kFoldedBits), Words(v)), kReverseBits); }
HWY_INLINE V8 TransposeAndUnfold(V64 word) { return Bytes(MulBits(TransposeReversed(word), kReverseAndUnfoldBits)); }

#else

HWY_INLINE V64 Transpose(V64 x) {
  const D64 d;
  V64 t = hn::And(hn::Xor(x, hn::ShiftRight<7>(x)), hn::Set(d, 0x00AA00AA00AA00AAULL));
  x = hn::Xor(hn::Xor(x, t), hn::ShiftLeft<7>(t));
  t = hn::And(hn::Xor(x, hn::ShiftRight<14>(x)), hn::Set(d, 0x0000CCCC0000CCCCULL));
  x = hn::Xor(hn::Xor(x, t), hn::ShiftLeft<14>(t));
  t = hn::And(hn::Xor(x, hn::ShiftRight<28>(x)), hn::Set(d, 0x00000000F0F0F0F0ULL));
  return hn::Xor(hn::Xor(x, t), hn::ShiftLeft<28>(t));
}

HWY_INLINE V8 Fold(V8 differences) {
  const hn::RebindToSigned<D8> d;
  const auto v = hn::BitCast(d, differences);
  return hn::BitCast(D8(), hn::Xor(hn::Add(v, v), hn::BroadcastSignBit(v)));
}

HWY_INLINE V8 TransposeAndUnfold(V64 word) {
  const V8 v = Bytes(Transpose(word));
  return hn::Xor(ShiftBytesRight(v, 1), hn::Sub(hn::Zero(D8()), hn::And(v, hn::Set(D8(), std::uint8_t{1}))));
}

#endif

// Transposes kVectorTiles vectors as the rows of a matrix of words.
HWY_INLINE void TransposeWords(V64* rows) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  V64 pairs[8];  // even ones: even columns, in four blocks of two rows each
  for (std::size_t i = 0; i < 8; i += 2) {
    pairs[i] = V64{_mm512_unpacklo_epi64(rows[i].raw, rows[i + 1].raw)};
    pairs[i + 1] = V64{_mm512_unpackhi_epi64(rows[i].raw, rows[i + 1].raw)};
  }
  for (std::size_t odd = 0; odd < 2; ++odd) {
    const __m512i low01 = _mm512_shuffle_i64x2(pairs[odd].raw, pairs[2 + odd].raw, 0x44);
    const __m512i high01 = _mm512_shuffle_i64x2(pairs[odd].raw, pairs[2 + odd].raw, 0xEE);
    const __m512i low23 = _mm512_shuffle_i64x2(pairs[4 + odd].raw, pairs[6 + odd].raw, 0x44);
    const __m512i high23 = _mm512_shuffle_i64x2(pairs[4 + odd].raw, pairs[6 + odd].raw, 0xEE);
    rows[odd] = V64{_mm512_shuffle_i64x2(low01, low23, 0x88)};
    rows[2 + odd] = V64{_mm512_shuffle_i64x2(low01, low23, 0xDD)};
    rows[4 + odd] = V64{_mm512_shuffle_i64x2(high01, high23, 0x88)};
    rows[6 + odd] = V64{_mm512_shuffle_i64x2(high01, high23, 0xDD)};
  }
#elif HWY_TARGET == HWY_AVX2
  const D64 d;
  const V64 low01 = hn::InterleaveLower(d, rows[0], rows[1]);
  const V64 high01 = hn::InterleaveUpper(d, rows[0], rows[1]);
  const V64 low23 = hn::InterleaveLower(d, rows[2], rows[3]);
  const V64 high23 = hn::InterleaveUpper(d, rows[2], rows[3]);
  rows[0] = hn::ConcatLowerLower(d, low23, low01);
  rows[1] = hn::ConcatLowerLower(d, high23, high01);
  rows[2] = hn::ConcatUpperUpper(d, low23, low01);
  rows[3] = hn::ConcatUpperUpper(d, high23, high01);
#else
  const D64 d;
  static_assert(kVectorTiles == 2);
  const V64 low = hn::InterleaveLower(d, rows[0], rows[1]);
  rows[1] = hn::InterleaveUpper(d, rows[0], rows[1]);
  rows[0] = low;
#endif
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
