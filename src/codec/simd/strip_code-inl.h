// Converts planes to residuals and back. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_CODE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_CODE_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_CODE_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_CODE_INL_H_
#endif

#include "codec/simd/strip_words-inl.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

struct Differences {
  V8 left, above, plane;
};

// Differences between a row below the first one and its neighbours.
HWY_INLINE Differences DifferencesOf(V8 row, V8 row_above) {
  const V8 first_above = Bytes(hn::And(Words(row_above), hn::Set(D64(), std::uint64_t{0xFF})));
  const V8 above = hn::Sub(row, row_above);
  return {hn::Sub(row, hn::Or(NextByte(row), first_above)), above, hn::Sub(above, NextByte(above))};
}

// Sum of the differences' sizes in each word.
HWY_INLINE V64 Size(V8 differences) {
  const hn::RebindToSigned<D8> d;
  return hn::SumsOf8(hn::BitCast(D8(), hn::Abs(hn::BitCast(d, differences))));
}

// Number of bytes in each word that are not 0.
HWY_INLINE V64 CountNonZero(V8 v) { return hn::SumsOf8(hn::Min(v, hn::Set(D8(), std::uint8_t{1}))); }

// The lower half of each lane: the halves of a's lane or-ed; the upper one: those of b's. `swapped`: the places of the halves.
template <class DHalf>
HWY_INLINE V8 OrHalves(DHalf d, V8 a, V8 b, const std::uint8_t (&swapped)[16]) {
  const D8 d8;
  const V8 kept = hn::BitCast(d8, hn::OddEven(hn::BitCast(d, b), hn::BitCast(d, a)));
  const V8 others = hn::BitCast(d8, hn::OddEven(hn::BitCast(d, a), hn::BitCast(d, b)));
  return hn::Or(kept, hn::TableLookupBytes(others, hn::LoadDup128(d8, swapped)));
}

// Byte y of each word: the bytes of row y's word or-ed.
HWY_INLINE V8 OrOfRows(const V8 (&rows)[kTileExtent]) {
  alignas(16) static constexpr std::uint8_t kFours[16] = {4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11};
  alignas(16) static constexpr std::uint8_t kPairs[16] = {2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13};
  alignas(16) static constexpr std::uint8_t kBytes[16] = {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14};
  const auto four = [&](std::size_t y) { return OrHalves(hn::RebindToUnsigned<D32>(), rows[y], rows[y + 4], kFours); };
  const auto two = [&](std::size_t y) { return OrHalves(hn::RebindToUnsigned<D16>(), four(y), four(y + 2), kPairs); };
  return OrHalves(D8(), two(0), two(1), kBytes);
}

// Byte y of `any`: the bits that row y needs. Returns the bytes of the rows.
HWY_INLINE V64 StoreWidths(V8 any, std::uint32_t channel, std::size_t tile, StripCode& code) {
  const D8 d8;
  const D64 d64;
  alignas(16) static constexpr std::uint8_t kByLowerBits[16] = {0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4};
  alignas(16) static constexpr std::uint8_t kByUpperBits[16] = {0, 5, 6, 6, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8};
  const V8 lower = hn::TableLookupBytes(hn::LoadDup128(d8, kByLowerBits), hn::And(any, hn::Set(d8, std::uint8_t{15})));
  const V8 widths = hn::Max(lower, hn::TableLookupBytes(hn::LoadDup128(d8, kByUpperBits), ShiftBytesRight(any, 4)));
  const V8 told = hn::Min(widths, hn::Set(d8, std::uint8_t{7}));
  hn::Store(Words(widths), d64, code.widths[channel] + tile);
  hn::Store(Transpose(Words(told)), d64, code.width_bits[channel] + tile);
  return hn::SumsOf8(widths);
}

// Transposes the bits of the rows' words. Byte y of `any`: the bits that row y needs.
HWY_INLINE void TransposeRows(const V8 (&rows)[kTileExtent], [[maybe_unused]] V8 any, V64 (&words)[kTileExtent]) {
#if HWY_TARGET != HWY_AVX3_DL && !defined(TANDEM_STRIP_WITH_GFNI)
  // Two rows of four bits each are one of eight.
  const hn::RebindToUnsigned<D16> d16;
  if (hn::AllTrue(D8(), hn::Eq(hn::And(any, hn::Set(D8(), std::uint8_t{0xF0})), hn::Zero(D8())))) {
    for (std::size_t y = 0; y < kTileExtent; y += 2) {
      const V8 upper = hn::BitCast(D8(), hn::ShiftLeft<4>(hn::BitCast(d16, rows[y + 1])));
      const V64 both = Transpose(Words(hn::Or(rows[y], upper)));
      words[y] = hn::And(both, hn::Set(D64(), std::uint64_t{0xFFFFFFFF}));
      words[y + 1] = hn::ShiftRight<32>(both);
    }
    return;
  }
#endif
  for (std::size_t y = 0; y < kTileExtent; ++y) words[y] = Transpose(Words(rows[y]));
}

// Fills the base. True if these tiles of the channel contain nothing else; their widths are then set to 0.
HWY_INLINE bool IsFlat(const StripPlanes& planes, std::uint32_t channel, std::size_t x, StripCode& code) {
  const D8 d8;
  const D64 d64;
  const V8 base = FirstOfWord(hn::Load(d8, planes.at[channel][0] + x));
  V8 others = hn::Zero(d8);
  for (const auto& row : planes.at[channel]) others = hn::Or(others, hn::Xor(hn::Load(d8, row + x), base));
  hn::Store(Words(base), d64, code.base[channel] + x / kTileExtent);
  if (!hn::AllFalse(d8, hn::Ne(others, hn::Zero(d8)))) return false;
  hn::Store(hn::Zero(d64), d64, code.widths[channel] + x / kTileExtent);
  hn::Store(hn::Zero(d64), d64, code.width_bits[channel] + x / kTileExtent);
  return true;
}

// Masks for the rows below the first, applied in this order: samples minus the one above, minus the one left of them, minus the
// one above.
struct Choice {
  V8 less_above, less_left, less_above_alone;
};

HWY_INLINE Choice Choose(const StripPlanes& planes, std::uint32_t channels, std::uint32_t flat, std::size_t x, StripCode& code) {
  const D8 d8;
  const D64 d64;
  const DI64 di64;
  V64 left = hn::Zero(d64);
  V64 above = hn::Zero(d64);
  V64 plane = hn::Zero(d64);
  V64 steps = hn::Zero(d64);
  for (std::uint32_t y = 1; y < kTileExtent; y += 2) {
    V8 moved = hn::Zero(d8);  // differences to the left, or-ed over the channels
    for (std::uint32_t c = 0; c < channels; ++c) {
      if ((flat >> c & 1) != 0) continue;
      const Differences differences = DifferencesOf(hn::Load(d8, planes.at[c][y] + x), hn::Load(d8, planes.at[c][y - 1] + x));
      moved = hn::Or(moved, differences.left);
      left = hn::Add(left, Size(differences.left));
      above = hn::Add(above, Size(differences.above));
      plane = hn::Add(plane, Size(differences.plane));
    }
    steps = hn::Add(steps, CountNonZero(moved));
  }
  hn::Store(steps, d64, code.steps + x / kTileExtent);
  const auto exceeds = [&](V64 a, V64 b) {
    return hn::BitCast(d64, hn::VecFromMask(di64, hn::Gt(hn::BitCast(di64, a), hn::BitCast(di64, b))));
  };
  const V64 not_left = hn::Or(exceeds(left, above), exceeds(left, plane));
  const V64 not_above = exceeds(above, plane);
  const V64 by_plane = hn::And(not_above, not_left);
  const V64 one = hn::Set(d64, std::uint64_t{1});
  hn::Store(hn::Add(hn::And(not_left, one), hn::And(by_plane, one)), d64, code.predictor + x / kTileExtent);
  return {Bytes(not_left), Bytes(hn::Or(hn::Not(not_left), by_plane)),
          Bytes(hn::AndNot(not_left, hn::Set(d64, std::uint64_t{0xFF})))};
}

// Returns the bytes of these tiles' channel, including the base.
HWY_INLINE V64 PredictChannel(const StripPlanes& planes, std::uint32_t channel, const Choice& choice, std::size_t x,
                              StripCode& code) {
  const D8 d8;
  const D64 d64;
  const std::size_t tile = x / kTileExtent;
  V8 row_above = hn::Load(d8, planes.at[channel][0] + x);
  const V8 base = Bytes(hn::And(Words(row_above), hn::Set(d64, std::uint64_t{0xFF})));
  V8 rows[kTileExtent];
  rows[0] = Fold(hn::Sub(hn::Sub(row_above, NextByte(row_above)), base));
  for (std::uint32_t y = 1; y < kTileExtent; ++y) {
    const V8 row = hn::Load(d8, planes.at[channel][y] + x);
    V8 residuals = hn::Sub(row, hn::And(row_above, choice.less_above));
    residuals = hn::Sub(residuals, hn::And(NextByte(residuals), choice.less_left));
    rows[y] = Fold(hn::Sub(residuals, hn::And(row_above, choice.less_above_alone)));
    row_above = row;
  }
  const V8 any = OrOfRows(rows);
  V64 words[kTileExtent];
  TransposeRows(rows, any, words);
  for (std::size_t y = 0; y < kTileExtent; y += kVectorTiles) {
    TransposeWords(words + y);
    for (std::size_t i = 0; i < kVectorTiles; ++i) hn::Store(words[y + i], d64, code.rows[channel][tile + i] + y);
  }
  const V64 row_bytes = StoreWidths(any, channel, tile, code);
  const V64 three = hn::Set(d64, std::uint64_t{3});
  const auto has_rows = hn::VecFromMask(d64, hn::Ne(row_bytes, hn::Zero(d64)));
  return hn::Add(row_bytes, hn::And(has_rows, three));
}

void Predict(const StripPlanes& planes, std::uint32_t channels, StripCode& code) {
  for (std::size_t x = 0; x < kStripWidth; x += kVectorBytes) {
    std::uint32_t flat = 0;
    for (std::uint32_t c = 0; c < channels; ++c) flat |= IsFlat(planes, c, x, code) ? 1U << c : 0U;
    const Choice choice = Choose(planes, channels, flat, x, code);
    V64 bytes = hn::Set(D64(), std::uint64_t{1} + channels);
    for (std::uint32_t c = 0; c < channels; ++c) {
      if ((flat >> c & 1) == 0) bytes = hn::Add(bytes, PredictChannel(planes, c, choice, x, code));
    }
    hn::Store(bytes, D64(), code.bytes + x / kTileExtent);
  }
}

#if HWY_TARGET != HWY_AVX3_DL

void Restore(const StripCode& code, std::uint32_t channels, StripPlanes& planes) {
  const D8 d8;
  const D64 d64;
  const DI64 di64;
  for (std::size_t x = 0; x < kStripWidth; x += kVectorBytes) {
    const std::size_t tile = x / kTileExtent;
    const auto predictor = hn::BitCast(di64, hn::Load(d64, code.predictor + tile));
    const auto is = [&](Predictor which) {
      return Bytes(hn::BitCast(d64, hn::VecFromMask(di64, hn::Eq(predictor, hn::Set(di64, static_cast<std::int64_t>(which))))));
    };
    const V8 by_left = is(Predictor::kLeft);
    const V8 by_above = is(Predictor::kAbove);
    for (std::uint32_t c = 0; c < channels; ++c) {
      V8 row_above = Bytes(hn::Load(d64, code.base[c] + tile));
      if (hn::AllFalse(d8, hn::Ne(Bytes(hn::Load(d64, code.widths[c] + tile)), hn::Zero(d8)))) {
        for (auto& row : planes.at[c]) hn::Store(row_above, d8, row + x);
        continue;
      }
      V64 words[kTileExtent];
      for (std::size_t y = 0; y < kTileExtent; y += kVectorTiles) {
        for (std::size_t i = 0; i < kVectorTiles; ++i) words[y + i] = hn::Load(d64, code.rows[c][tile + i] + y);
        TransposeWords(words + y);
      }
      for (std::uint32_t y = 0; y < kTileExtent; ++y) {
        const V8 differences = TransposeAndUnfold(words[y]);
        const V8 sums = RunningSums(differences);
        V8 row = hn::Add(sums, row_above);
        if (y > 0) {
          const V8 carry = hn::IfVecThenElse(by_left, FirstOfWord(row_above), row_above);
          row = hn::Add(hn::IfVecThenElse(by_above, differences, sums), carry);
        }
        hn::Store(row, d8, planes.at[c][y] + x);
        row_above = row;
      }
    }
  }
}

#endif  // HWY_TARGET != HWY_AVX3_DL

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
