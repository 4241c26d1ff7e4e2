// Compiled once for each instruction set by foreach_target.h.
#include "color/simd/yuv_encode_rows.h"

#include <algorithm>
#include <cstring>

#include "color/simd/choose_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "color/simd/yuv_encode_rows.cpp"
#include "hwy/foreach_target.h"

#include "color/simd/pairs-inl.h"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::color::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void EncodePair(const EncodeRowPair& rows, const EncodeWeights& weights) { EncodeRowPairReference(rows, weights); }
void EncodePairStreamed(const EncodeRowPair& rows, const EncodeWeights& weights) { EncodeRowPairReference(rows, weights); }

#else

// A block of the loops below, in each of two rows: four vectors of pixels, which give one vector of luma.
constexpr std::size_t kBlockPixels = hn::MaxLanes(D8());

// Pixels encoded in one row before the row below; wider than usual displays.
constexpr std::size_t kPanelPixels = 8192;

constexpr std::size_t kLineBytes = 64;

struct Pixels {
  V8 part[4];
};

HWY_INLINE Pixels LoadPixels(const std::uint8_t* from) {
  const D8 d;
  const std::size_t n = kBlockPixels;
  return {{hn::LoadU(d, from), hn::LoadU(d, from + n), hn::LoadU(d, from + 2 * n), hn::LoadU(d, from + 3 * n)}};
}

// Merges two vectors of words to bytes of 32-bit lanes: a[2i], b[2i], a[2i + 1], b[2i + 1].
HWY_INLINE V8 MergeBytes(V16 a, V16 b) { return hn::BitCast(D8(), hn::Or(a, hn::ShiftLeft<8>(b))); }

HWY_INLINE V32 LumaSums(V8 pixels, const EncodeWeights& w) {
  return MulWordPairs(MulBytePairs(pixels, {w.blue, w.green, w.red, 0}), w.blue_green_multiplier, w.red_multiplier);
}

template <class Order>
HWY_INLINE V8 Luma(const Pixels& pixels, const EncodeWeights& w, Order order) {
  const V16 offset = hn::Set(D16(), w.luma_offset);
  const auto finish = [&](V8 even, V8 odd) {
    return hn::Add(RoundAway<kLumaShift - 16>(HighHalves(LumaSums(even, w), LumaSums(odd, w))), offset);
  };
  const V8 merged = MergeBytes(finish(pixels.part[0], pixels.part[2]), finish(pixels.part[1], pixels.part[3]));
  return Reorder(TransposeBytes(merged), order);
}

// Pairs of 32 * (B - G) and 32 * (R - G), summed over two neighbouring pixels. Each 16 bytes contain two pairs of `first` and
// two of `second`.
HWY_INLINE V16 PairSums(V8 first, V8 second) {
  alignas(16) static constexpr std::uint8_t kPairs[16] = {0, 1, 4, 5, 2, 1, 6, 5, 8, 9, 12, 13, 10, 9, 14, 13};
  const auto order = hn::LoadDup128(D8(), kPairs);
  constexpr ByteWeights kWeights = {32, -32, 32, -32};
  const V32 a = SumQuads(hn::TableLookupBytes(first, order), kWeights);
  const V32 b = SumQuads(hn::TableLookupBytes(second, order), kWeights);
  return hn::ReorderDemote2To(D16(), a, b);
}

// Sums for a block's four vectors of pixels.
struct BlockSums {
  V16 even, odd;
};

HWY_INLINE BlockSums SumsOf(const Pixels& pixels) {
  return {PairSums(pixels.part[0], pixels.part[2]), PairSums(pixels.part[1], pixels.part[3])};
}

// U and V of 2 x 2 pixels each.
HWY_INLINE V16 Chroma(V16 sums, const EncodeWeights& w) {
  const D16 d16;
  const V16 uv =
      RoundAway<kChromaShift - 16>(HighHalves(MulWordPairs(sums, w.u_blue, w.u_red), MulWordPairs(sums, w.v_blue, w.v_red)));
  return hn::Min(hn::Add(uv, hn::Set(d16, std::int16_t{128})), hn::Set(d16, std::int16_t{255}));
}

// Pairs of U and V in the pixels' order, from the sums of both rows.
template <class Order>
HWY_INLINE V8 ChromaPairs(BlockSums sums, const EncodeWeights& w, Order order) {
  alignas(16) static constexpr std::uint8_t kPairs[16] = {0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15};
  const V8 merged = MergeBytes(Chroma(sums.even, w), Chroma(sums.odd, w));
  return Reorder(hn::TableLookupBytes(merged, hn::LoadDup128(D8(), kPairs)), order);
}

// Stores the first of each pair to u, the second to v.
HWY_INLINE void StoreSplit(V8 pairs, std::uint8_t* u, std::uint8_t* v) {
  const D16 d16;
  const hn::RebindToUnsigned<D16> du16;
  const hn::Rebind<std::uint8_t, D16> half;
  const auto words = hn::BitCast(du16, pairs);
  hn::StoreU(hn::DemoteTo(half, hn::BitCast(d16, hn::And(words, hn::Set(du16, std::uint16_t{0xFF})))), half, u);
  hn::StoreU(hn::DemoteTo(half, hn::BitCast(d16, hn::ShiftRight<8>(words))), half, v);
}

// Start of a block in each row; `v` is null for NV12.
struct Places {
  const std::uint8_t* top;
  const std::uint8_t* bottom;
  std::uint8_t* y_top;
  std::uint8_t* y_bottom;
  std::uint8_t* u;
  std::uint8_t* v;
};

template <Stores kStores>
HWY_INLINE void Put(V8 v, std::uint8_t* to) {
  if constexpr (kStores == Stores::kStreamed) {
    hn::Stream(v, D8(), to);
  } else {
    hn::StoreU(v, D8(), to);
  }
}

// Returns the sums as well, for the row below.
template <Stores kStores, class Order>
HWY_INLINE BlockSums EncodeTop(const Places& at, const EncodeWeights& w, Order order) {
  const Pixels top = LoadPixels(at.top);
  Put<kStores>(Luma(top, w, order), at.y_top);
  return SumsOf(top);
}

template <Stores kStores, class Order>
HWY_INLINE void EncodeBottom(const Places& at, BlockSums top, const EncodeWeights& w, Order order) {
  const Pixels bottom = LoadPixels(at.bottom);
  Put<kStores>(Luma(bottom, w, order), at.y_bottom);
  const BlockSums sums = SumsOf(bottom);
  const V8 pairs = ChromaPairs({hn::Add(top.even, sums.even), hn::Add(top.odd, sums.odd)}, w, order);
  if (at.v == nullptr) {
    Put<kStores>(pairs, at.u);
  } else {
    StoreSplit(pairs, at.u, at.v);
  }
}

// Encodes less than a block through buffers of a block. The last pixel is repeated to complete its 2 x 2.
template <class Order>
HWY_INLINE void EncodeRest(const Places& at, std::size_t pixels, const EncodeWeights& w, Order order) {
  HWY_ALIGN std::uint8_t in[2][4 * kBlockPixels] = {};
  HWY_ALIGN std::uint8_t out[4][kBlockPixels];
  std::memcpy(in[0], at.top, 4 * pixels);
  std::memcpy(in[1], at.bottom, 4 * pixels);
  if (pixels % 2 != 0) {
    for (auto& row : in) std::memcpy(row + 4 * pixels, row + 4 * pixels - 4, 4);
  }
  const Places copies{in[0], in[1], out[0], out[1], out[2], at.v == nullptr ? nullptr : out[3]};
  EncodeBottom<Stores::kCached>(copies, EncodeTop<Stores::kCached>(copies, w, order), w, order);
  const std::size_t samples = (pixels + 1) / 2;
  std::memcpy(at.y_top, out[0], pixels);
  std::memcpy(at.y_bottom, out[1], pixels);
  std::memcpy(at.u, out[2], at.v == nullptr ? 2 * samples : samples);
  if (at.v != nullptr) std::memcpy(at.v, out[3], samples);
}

// Prefetches the pixels of a block that starts at pixel `x` of `row`.
HWY_INLINE void PrefetchBlock(const std::byte* row, std::size_t x) {
  for (std::size_t i = 0; i < 4 * kBlockPixels; i += kLineBytes) hwy::Prefetch(row + 4 * x + i);
}

// Encodes one row after the other, so that memory is read in order: nearly twice as fast as two rows side by side. The top
// row's sums for chroma wait in the nearest cache, half as large as its pixels. Each row prefetches the row that is read next.
template <Stores kStores>
HWY_INLINE void EncodeRows(const EncodeRowPair& rows, const EncodeWeights& weights) {
  const EncodeWeights w = weights;
  const auto order = FromBlocks();
  const auto place = [&rows](std::size_t x) {
    const std::size_t chroma = rows.v == nullptr ? x : x / 2;
    return Places{reinterpret_cast<const std::uint8_t*>(rows.top) + 4 * x,
                  reinterpret_cast<const std::uint8_t*>(rows.bottom) + 4 * x,
                  reinterpret_cast<std::uint8_t*>(rows.y_top) + x,
                  reinterpret_cast<std::uint8_t*>(rows.y_bottom) + x,
                  reinterpret_cast<std::uint8_t*>(rows.u) + chroma,
                  rows.v == nullptr ? nullptr : reinterpret_cast<std::uint8_t*>(rows.v) + chroma};
  };
  const std::size_t blocks_end = rows.width / kBlockPixels * kBlockPixels;
  HWY_ALIGN std::int16_t sums[kPanelPixels];
  const D16 d;
  for (std::size_t panel = 0; panel < blocks_end; panel += kPanelPixels) {
    const std::size_t end = std::min(panel + kPanelPixels, blocks_end);
    std::int16_t* waiting = sums;
    for (std::size_t x = panel; x < end; x += kBlockPixels, waiting += kBlockPixels) {
      PrefetchBlock(rows.bottom, x);
      const BlockSums top = EncodeTop<kStores>(place(x), w, order);
      hn::Store(top.even, d, waiting);
      hn::Store(top.odd, d, waiting + kBlockPixels / 2);
    }
    waiting = sums;
    for (std::size_t x = panel; x < end; x += kBlockPixels, waiting += kBlockPixels) {
      if (rows.next_top != nullptr) PrefetchBlock(rows.next_top, x);
      EncodeBottom<kStores>(place(x), {hn::Load(d, waiting), hn::Load(d, waiting + kBlockPixels / 2)}, w, order);
    }
  }
  if (blocks_end < rows.width) EncodeRest(place(blocks_end), rows.width - blocks_end, w, order);
}

void EncodePair(const EncodeRowPair& rows, const EncodeWeights& weights) { EncodeRows<Stores::kCached>(rows, weights); }

void EncodePairStreamed(const EncodeRowPair& rows, const EncodeWeights& weights) {
  std::uintptr_t places = reinterpret_cast<std::uintptr_t>(rows.y_top) | reinterpret_cast<std::uintptr_t>(rows.y_bottom);
  if (rows.v == nullptr) places |= reinterpret_cast<std::uintptr_t>(rows.u);
  if (places % kBlockPixels != 0) {
    EncodeRows<Stores::kCached>(rows, weights);
  } else {
    EncodeRows<Stores::kStreamed>(rows, weights);
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace tandem::color::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::color::simd {
HWY_EXPORT(EncodePair);
HWY_EXPORT(EncodePairStreamed);

EncodeRowPairFunction EncodeRowPairFunctionFor(Stores stores) {
  ChooseTarget();
  return stores == Stores::kStreamed ? HWY_DYNAMIC_DISPATCH(EncodePairStreamed) : HWY_DYNAMIC_DISPATCH(EncodePair);
}

}  // namespace tandem::color::simd
#endif  // HWY_ONCE
