// Converts planes to residuals and back. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_CODE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_CODE_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_CODE_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_CODE_INL_H_
#endif

#include "codec/simd/strip_words-inl.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::HWY_NAMESPACE {

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

// Number of bytes in each word up to the last one that is not 0.
HWY_INLINE V64 UsedBytes(V64 word) {
#if HWY_TARGET == HWY_AVX3_DL
  const V64 used_bits = hn::Sub(hn::Set(D64(), std::uint64_t{71}), V64{_mm512_lzcnt_epi64(word.raw)});
  return hn::ShiftRight<3>(used_bits);
#else
  word = hn::Or(word, hn::ShiftRight<8>(word));
  word = hn::Or(word, hn::ShiftRight<16>(word));
  word = hn::Or(word, hn::ShiftRight<32>(word));
  return CountNonZero(Bytes(word));
#endif
}

// `used`: byte y counts the used bytes of row y. Returns the bytes of the rows.
HWY_INLINE V64 StoreWidths(V64 used, std::uint32_t channel, std::size_t tile, StripCode& code) {
  const D64 d64;
  alignas(16) static constexpr std::uint8_t kWidths[16] = {0, 1, 2, 3, 4, 5, 6, 8, 8};
  const V8 widths = hn::TableLookupBytes(hn::LoadDup128(D8(), kWidths), Bytes(used));
  const V8 told = hn::Min(widths, hn::Set(D8(), std::uint8_t{7}));
  hn::Store(Words(widths), d64, code.widths[channel] + tile);
  hn::Store(Transpose(Words(told)), d64, code.width_bits[channel] + tile);
  return hn::SumsOf8(widths);
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

// Masks of the tiles that use each predictor; the rest use kLeft.
struct Choice {
  V8 above, plane;
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
  return {Bytes(hn::AndNot(not_above, not_left)), Bytes(by_plane)};
}

// Returns the bytes of these tiles' channel, including the base.
HWY_INLINE V64 PredictChannel(const StripPlanes& planes, std::uint32_t channel, const Choice& choice, std::size_t x,
                              StripCode& code) {
  const D8 d8;
  const D64 d64;
  const std::size_t tile = x / kTileExtent;
  V8 row_above = hn::Load(d8, planes.at[channel][0] + x);
  const V8 base = Bytes(hn::And(Words(row_above), hn::Set(d64, std::uint64_t{0xFF})));
  V64 words[kTileExtent];
  words[0] = FoldAndTranspose(hn::Sub(hn::Sub(row_above, NextByte(row_above)), base));
  V64 used = UsedBytes(words[0]);
  for (std::uint32_t y = 1; y < kTileExtent; ++y) {
    const V8 row = hn::Load(d8, planes.at[channel][y] + x);
    const Differences differences = DifferencesOf(row, row_above);
    const V8 left_or_plane = hn::IfVecThenElse(choice.plane, differences.plane, differences.left);
    words[y] = FoldAndTranspose(hn::IfVecThenElse(choice.above, differences.above, left_or_plane));
    used = hn::Or(used, hn::ShiftLeftSame(UsedBytes(words[y]), static_cast<int>(8 * y)));
    row_above = row;
  }
  for (std::size_t y = 0; y < kTileExtent; y += kVectorTiles) {
    TransposeWords(words + y);
    for (std::size_t i = 0; i < kVectorTiles; ++i) hn::Store(words[y + i], d64, code.rows[channel][tile + i] + y);
  }
  const V64 row_bytes = StoreWidths(used, channel, tile, code);
  const V64 three = hn::Set(d64, std::uint64_t{3});
  const auto any = hn::VecFromMask(d64, hn::Ne(row_bytes, hn::Zero(d64)));
  return hn::Add(row_bytes, hn::And(any, three));
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

}  // namespace tandem::codec::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
