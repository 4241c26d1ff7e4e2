// Compiled once for each instruction set by foreach_target.h.
#include "codec/simd/strip_functions.h"

#include "color/simd/choose_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/simd/strip_functions.cpp"
#include "hwy/foreach_target.h"

#include "color/simd/pairs-inl.h"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::codec::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

const StripFunctions* Functions() { return &ReferenceStripFunctions(); }

#else

using color::simd::HWY_NAMESPACE::D16;
using color::simd::HWY_NAMESPACE::D32;
using color::simd::HWY_NAMESPACE::D8;
using color::simd::HWY_NAMESPACE::FromBlocks;
using color::simd::HWY_NAMESPACE::Reorder;
using color::simd::HWY_NAMESPACE::ToBlocks;
using color::simd::HWY_NAMESPACE::TransposeBytes;
using color::simd::HWY_NAMESPACE::V8;
using D64 = hn::ScalableTag<std::uint64_t>;
using DI64 = hn::ScalableTag<std::int64_t>;
using V64 = hn::Vec<D64>;

constexpr std::size_t kVectorBytes = hn::MaxLanes(D8());  // 16 to 64: two to eight tiles
static_assert(kStripWidth % kVectorBytes == 0);

HWY_INLINE V64 Words(V8 v) { return hn::BitCast(D64(), v); }
HWY_INLINE V8 Bytes(V64 v) { return hn::BitCast(D8(), v); }

// Each word's bytes one place up, a zero in the first.
HWY_INLINE V8 NextByte(V8 v) { return Bytes(hn::ShiftLeft<8>(Words(v))); }

// Shifts each byte right; bytes may not exceed what 16-bit shifts and a mask give.
HWY_INLINE V8 ShiftBytesRight(V8 v, std::uint32_t bits) {
  const hn::RebindToUnsigned<D16> d16;
  const auto mask = hn::Set(D8(), static_cast<std::uint8_t>(0xFF >> bits));
  return hn::And(hn::BitCast(D8(), hn::ShiftRightSame(hn::BitCast(d16, v), static_cast<int>(bits))), mask);
}

HWY_INLINE V64 Transpose(V64 x) {
  const D64 d;
  V64 t = hn::And(hn::Xor(x, hn::ShiftRight<7>(x)), hn::Set(d, 0x00AA00AA00AA00AAULL));
  x = hn::Xor(hn::Xor(x, t), hn::ShiftLeft<7>(t));
  t = hn::And(hn::Xor(x, hn::ShiftRight<14>(x)), hn::Set(d, 0x0000CCCC0000CCCCULL));
  x = hn::Xor(hn::Xor(x, t), hn::ShiftLeft<14>(t));
  t = hn::And(hn::Xor(x, hn::ShiftRight<28>(x)), hn::Set(d, 0x00000000F0F0F0F0ULL));
  return hn::Xor(hn::Xor(x, t), hn::ShiftLeft<28>(t));
}

void Split(const std::byte* samples, std::uint64_t pitch, std::uint64_t ahead, TileContent content, std::uint32_t drop,
           StripPlanes& planes) {
  const D8 d;
  const auto order = FromBlocks();
  const auto dropped = [drop](V8 v) { return drop == 0 ? v : ShiftBytesRight(v, drop); };
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    const auto* const row = reinterpret_cast<const std::uint8_t*>(samples + y * pitch);
    if (ahead != 0) {
      for (std::size_t i = 0; i < std::size_t{kStripWidth} * BytesPerSample(content); i += 64) hwy::Prefetch(row + ahead + i);
    }
    for (std::size_t x = 0; x < kStripWidth; x += kVectorBytes) {
      if (content == TileContent::kPlane8) {
        hn::Store(dropped(hn::LoadU(d, row + x)), d, planes.at[0][y] + x);
        continue;
      }
      // Each block of four pixels as its blues, greens, reds and alphas; then blocks of one channel beside each other.
      const auto block = [&](std::size_t i) {
        return hn::BitCast(D32(), TransposeBytes(hn::LoadU(d, row + 4 * x + i * kVectorBytes)));
      };
      const auto b0 = block(0);
      const auto b1 = block(1);
      const auto b2 = block(2);
      const auto b3 = block(3);
      const auto lower01 = hn::BitCast(D64(), hn::InterleaveLower(b0, b1));
      const auto lower23 = hn::BitCast(D64(), hn::InterleaveLower(b2, b3));
      const auto upper01 = hn::BitCast(D64(), hn::InterleaveUpper(D32(), b0, b1));
      const auto upper23 = hn::BitCast(D64(), hn::InterleaveUpper(D32(), b2, b3));
      const V8 blue = dropped(Reorder(Bytes(hn::InterleaveLower(lower01, lower23)), order));
      const V8 green = dropped(Reorder(Bytes(hn::InterleaveUpper(D64(), lower01, lower23)), order));
      const V8 red = dropped(Reorder(Bytes(hn::InterleaveLower(upper01, upper23)), order));
      hn::Store(green, d, planes.at[0][y] + x);
      hn::Store(hn::Sub(blue, green), d, planes.at[1][y] + x);
      hn::Store(hn::Sub(red, green), d, planes.at[2][y] + x);
      if (content != TileContent::kBgra8) continue;
      hn::Store(dropped(Reorder(Bytes(hn::InterleaveUpper(D64(), upper01, upper23)), order)), d, planes.at[3][y] + x);
    }
  }
}

void Join(const StripPlanes& planes, TileContent content, std::byte* samples, std::uint64_t pitch) {
  const D8 d;
  const hn::RebindToUnsigned<D16> d16;
  const auto order = ToBlocks();
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    auto* const row = reinterpret_cast<std::uint8_t*>(samples + y * pitch);
    for (std::size_t x = 0; x < kStripWidth; x += kVectorBytes) {
      const V8 first = hn::Load(d, planes.at[0][y] + x);
      if (content == TileContent::kPlane8) {
        hn::StoreU(first, d, row + x);
        continue;
      }
      const V8 green = Reorder(first, order);
      const V8 blue = hn::Add(Reorder(hn::Load(d, planes.at[1][y] + x), order), green);
      const V8 red = hn::Add(Reorder(hn::Load(d, planes.at[2][y] + x), order), green);
      const V8 alpha =
          content == TileContent::kBgra8 ? Reorder(hn::Load(d, planes.at[3][y] + x), order) : hn::Set(d, std::uint8_t{255});
      const auto lower_bg = hn::BitCast(d16, hn::InterleaveLower(d, blue, green));
      const auto lower_ra = hn::BitCast(d16, hn::InterleaveLower(d, red, alpha));
      const auto upper_bg = hn::BitCast(d16, hn::InterleaveUpper(d, blue, green));
      const auto upper_ra = hn::BitCast(d16, hn::InterleaveUpper(d, red, alpha));
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d16, lower_bg, lower_ra)), d, row + 4 * x);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d16, lower_bg, lower_ra)), d, row + 4 * x + kVectorBytes);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d16, upper_bg, upper_ra)), d, row + 4 * x + 2 * kVectorBytes);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d16, upper_bg, upper_ra)), d, row + 4 * x + 3 * kVectorBytes);
    }
  }
}

struct Differences {
  V8 left, above, plane;
};

// Of a row below the first against its neighbours.
HWY_INLINE Differences DifferencesOf(V8 row, V8 row_above) {
  const V8 first_above = Bytes(hn::And(Words(row_above), hn::Set(D64(), std::uint64_t{0xFF})));
  const V8 above = hn::Sub(row, row_above);
  return {hn::Sub(row, hn::Or(NextByte(row), first_above)), above, hn::Sub(above, NextByte(above))};
}

// The sum of the differences' sizes in each word.
HWY_INLINE V64 Size(V8 differences) {
  const hn::RebindToSigned<D8> d;
  return hn::SumsOf8(hn::BitCast(D8(), hn::Abs(hn::BitCast(d, differences))));
}

HWY_INLINE V64 Fold(V8 differences) {
  const hn::RebindToSigned<D8> d;
  const auto v = hn::BitCast(d, differences);
  return hn::BitCast(D64(), hn::Xor(hn::Add(v, v), hn::BroadcastSignBit(v)));
}

HWY_INLINE V8 Unfold(V64 folded) {
  const V8 v = Bytes(folded);
  return hn::Xor(ShiftBytesRight(v, 1), hn::Sub(hn::Zero(D8()), hn::And(v, hn::Set(D8(), std::uint8_t{1}))));
}

// Bytes of each word that are not 0.
HWY_INLINE V64 CountNonZero(V8 v) { return hn::SumsOf8(hn::Min(v, hn::Set(D8(), std::uint8_t{1}))); }

// Bytes of each word up to its last one that is not 0; 8 for 7.
HWY_INLINE V64 WidthOf(V64 word) {
  word = hn::Or(word, hn::ShiftRight<8>(word));
  word = hn::Or(word, hn::ShiftRight<16>(word));
  word = hn::Or(word, hn::ShiftRight<32>(word));
  const V64 code = Words(hn::Min(Bytes(CountNonZero(Bytes(word))), hn::Set(D8(), std::uint8_t{7})));
  return hn::Add(code, hn::ShiftRight<3>(hn::Add(code, hn::Set(D64(), std::uint64_t{1}))));
}

// The first byte of each word, in all of them.
HWY_INLINE V8 FirstOfWord(V8 v) {
  alignas(16) static constexpr std::uint8_t kFirst[16] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8};
  return hn::TableLookupBytes(v, hn::LoadDup128(D8(), kFirst));
}

// Fills the base; whether there is nothing else in these tiles of the channel, whose widths are set to 0 then.
HWY_INLINE bool IsFlat(const StripPlanes& planes, std::uint32_t channel, std::size_t x, StripCode& code) {
  const D8 d8;
  const D64 d64;
  const V8 base = FirstOfWord(hn::Load(d8, planes.at[channel][0] + x));
  V8 others = hn::Zero(d8);
  for (const auto& row : planes.at[channel]) others = hn::Or(others, hn::Xor(hn::Load(d8, row + x), base));
  hn::Store(Words(base), d64, code.base[channel] + x / kTileExtent);
  if (!hn::AllFalse(d8, hn::Ne(others, hn::Zero(d8)))) return false;
  hn::Store(hn::Zero(d64), d64, code.widths[channel] + x / kTileExtent);
  return true;
}

// Which predictors these tiles take, as bytes of ones; what is neither is left.
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
  V8 moved[kTileExtent];  // the differences to the left, or-ed over the channels
  for (V8& row : moved) row = hn::Zero(d8);
  for (std::uint32_t c = 0; c < channels; ++c) {
    if ((flat >> c & 1) != 0) continue;
    V8 row_above = hn::Load(d8, planes.at[c][0] + x);
    for (std::uint32_t y = 1; y < kTileExtent; ++y) {
      const V8 row = hn::Load(d8, planes.at[c][y] + x);
      const Differences differences = DifferencesOf(row, row_above);
      moved[y] = hn::Or(moved[y], differences.left);
      left = hn::Add(left, Size(differences.left));
      above = hn::Add(above, Size(differences.above));
      plane = hn::Add(plane, Size(differences.plane));
      row_above = row;
    }
  }
  V64 steps = hn::Zero(d64);
  for (std::uint32_t y = 1; y < kTileExtent; ++y) steps = hn::Add(steps, CountNonZero(moved[y]));
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

HWY_INLINE void PredictChannel(const StripPlanes& planes, std::uint32_t channel, const Choice& choice, std::size_t x,
                               StripCode& code) {
  const D8 d8;
  const D64 d64;
  const std::size_t tile = x / kTileExtent;
  V8 row_above = hn::Load(d8, planes.at[channel][0] + x);
  const V8 base = Bytes(hn::And(Words(row_above), hn::Set(d64, std::uint64_t{0xFF})));
  V64 word = Transpose(Fold(hn::Sub(hn::Sub(row_above, NextByte(row_above)), base)));
  V64 widths = WidthOf(word);
  hn::Store(word, d64, code.rows[channel][0] + tile);
  for (std::uint32_t y = 1; y < kTileExtent; ++y) {
    const V8 row = hn::Load(d8, planes.at[channel][y] + x);
    const Differences differences = DifferencesOf(row, row_above);
    const V8 left_or_plane = hn::IfVecThenElse(choice.plane, differences.plane, differences.left);
    word = Transpose(Fold(hn::IfVecThenElse(choice.above, differences.above, left_or_plane)));
    widths = hn::Or(widths, hn::ShiftLeftSame(WidthOf(word), static_cast<int>(8 * y)));
    hn::Store(word, d64, code.rows[channel][y] + tile);
    row_above = row;
  }
  hn::Store(widths, d64, code.widths[channel] + tile);
}

void Predict(const StripPlanes& planes, std::uint32_t channels, StripCode& code) {
  for (std::size_t x = 0; x < kStripWidth; x += kVectorBytes) {
    std::uint32_t flat = 0;
    for (std::uint32_t c = 0; c < channels; ++c) flat |= IsFlat(planes, c, x, code) ? 1U << c : 0U;
    const Choice choice = Choose(planes, channels, flat, x, code);
    for (std::uint32_t c = 0; c < channels; ++c) {
      if ((flat >> c & 1) == 0) PredictChannel(planes, c, choice, x, code);
    }
  }
}

// Sums of each word's bytes up to each one.
HWY_INLINE V8 RunningSums(V8 v) {
  v = hn::Add(v, Bytes(hn::ShiftLeft<8>(Words(v))));
  v = hn::Add(v, Bytes(hn::ShiftLeft<16>(Words(v))));
  return hn::Add(v, Bytes(hn::ShiftLeft<32>(Words(v))));
}

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
      for (std::uint32_t y = 0; y < kTileExtent; ++y) {
        const V8 differences = Unfold(Transpose(hn::Load(d64, code.rows[c][y] + tile)));
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

std::uint32_t Changed(const std::byte* a, std::uint64_t a_pitch, const std::byte* b, std::uint64_t b_pitch,
                      std::uint32_t sample_bytes, std::uint64_t rows_ahead) {
  // Words of each row's differences, or-ed over the rows; a tile has `sample_bytes` of them.
  HWY_ALIGN std::uint64_t differences[4 * kStripTiles];
  const D8 d;
  const std::uint64_t ahead_a = rows_ahead * a_pitch;
  const std::uint64_t ahead_b = rows_ahead * b_pitch;
  const std::size_t row_bytes = std::size_t{kStripWidth} * sample_bytes;
  for (std::size_t x = 0; x < row_bytes; x += kVectorBytes) {
    V8 any = hn::Zero(d);
    for (std::uint32_t y = 0; y < kTileExtent; ++y) {
      hwy::Prefetch(reinterpret_cast<const std::uint8_t*>(a + y * a_pitch) + x + ahead_a);
      hwy::Prefetch(reinterpret_cast<const std::uint8_t*>(b + y * b_pitch) + x + ahead_b);
      const V8 of_a = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(a + y * a_pitch) + x);
      const V8 of_b = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(b + y * b_pitch) + x);
      any = hn::Or(any, hn::Xor(of_a, of_b));
    }
    hn::Store(Words(any), D64(), differences + x / 8);
  }
  std::uint32_t changed = 0;
  for (std::uint32_t tile = 0; tile < kStripTiles; ++tile) {
    std::uint64_t any = 0;
    for (std::uint32_t i = 0; i < sample_bytes; ++i) any |= differences[tile * sample_bytes + i];
    changed |= any != 0 ? 1U << tile : 0U;
  }
  return changed;
}

const StripFunctions* Functions() {
  static constexpr StripFunctions kFunctions = {Split, Predict, Restore, Join, Changed};
  return &kFunctions;
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace tandem::codec::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::codec::simd {
HWY_EXPORT(Functions);

const StripFunctions& StripFunctionsHere() {
  color::simd::ChooseTarget();
  return *HWY_DYNAMIC_DISPATCH(Functions)();
}

}  // namespace tandem::codec::simd
#endif  // HWY_ONCE
