// Compiled once for each instruction set by foreach_target.h.
#include "color/simd/yuv_decode_rows.h"

#include <cstring>

#include "color/simd/choose_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "color/simd/yuv_decode_rows.cpp"
#include "hwy/foreach_target.h"

#include "color/simd/pairs-inl.h"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::color::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void DecodePair(const DecodeRowPair& rows, const TermWeights& weights) { DecodeRowPairReference(rows, weights); }
void DecodePairStreamed(const DecodeRowPair& rows, const TermWeights& weights) { DecodeRowPairReference(rows, weights); }
void DecodeSums(const DecodeRow& row, const SumWeights& weights, ChromaFilter filter) {
  DecodeRowReference(row, weights, filter);
}

#else

constexpr std::size_t kBlockPixels = hn::MaxLanes(D8());
constexpr std::uint64_t kLineBytes = 64;

// One chroma term for the pixels of a block: the values to add and to subtract, one of which is 0.
struct Term {
  V8 plus, minus;
};

// Repeats each lane's value for its two pixels.
HWY_INLINE Term TermOf(V16 value) {
  const D16 d16;
  const auto twice = [](V16 v) { return hn::BitCast(D8(), hn::Or(v, hn::ShiftLeft<8>(v))); };
  const V16 zero = hn::Zero(d16);
  return {twice(hn::Max(value, zero)), twice(hn::Max(hn::Sub(zero, value), zero))};
}

struct Terms {
  Term red, green, blue;
};

// `pairs`: U in the even bytes, V in the odd ones, for kBlockPixels pixels.
HWY_INLINE Terms TermsOf(V8 pairs, const TermWeights& w) {
  const D16 d16;
  const D32 d32;
  const V16 around_zero = hn::BitCast(d16, hn::Xor(pairs, hn::Set(D8(), std::uint8_t{0x80})));
  const V16 u = hn::ShiftLeft<8>(around_zero);
  const V16 v = hn::And(around_zero, hn::Set(d16, static_cast<std::int16_t>(-256)));
  const V16 red = RoundAway<kRedBlueShift - 16>(hn::MulHigh(v, hn::Set(d16, w.red_v)));
  const V16 blue = RoundAway<kRedBlueShift - 16>(hn::MulHigh(u, hn::Set(d16, w.blue_u)));
  const V16 even = hn::OddEven(hn::BitCast(d16, hn::ShiftLeft<16>(hn::BitCast(d32, v))), u);
  const V16 odd = hn::OddEven(v, hn::BitCast(d16, hn::ShiftRight<16>(hn::BitCast(d32, u))));
  const V16 green =
      RoundAway<kGreenShift - 16>(HighHalves(MulWordPairs(even, w.green_u, w.green_v), MulWordPairs(odd, w.green_u, w.green_v)));
  return {TermOf(red), TermOf(green), TermOf(blue)};
}

template <Stores kStores>
HWY_INLINE void Put(V8 v, std::uint8_t* to) {
  if constexpr (kStores == Stores::kStreamed) {
    hn::Stream(v, D8(), to);
  } else {
    hn::StoreU(v, D8(), to);
  }
}

// Stores B, G, R, 255 of kBlockPixels pixels.
template <Stores kStores>
HWY_INLINE void StorePixels(V8 blue, V8 green, V8 red, std::uint8_t* to) {
  const D8 d8;
  const hn::RebindToUnsigned<D16> d16;
  const V8 alpha = hn::Set(d8, std::uint8_t{255});
  const auto lower_bg = hn::BitCast(d16, hn::InterleaveLower(d8, blue, green));
  const auto lower_ra = hn::BitCast(d16, hn::InterleaveLower(d8, red, alpha));
  const auto upper_bg = hn::BitCast(d16, hn::InterleaveUpper(d8, blue, green));
  const auto upper_ra = hn::BitCast(d16, hn::InterleaveUpper(d8, red, alpha));
  Put<kStores>(hn::BitCast(d8, hn::InterleaveLower(d16, lower_bg, lower_ra)), to);
  Put<kStores>(hn::BitCast(d8, hn::InterleaveUpper(d16, lower_bg, lower_ra)), to + kBlockPixels);
  Put<kStores>(hn::BitCast(d8, hn::InterleaveLower(d16, upper_bg, upper_ra)), to + 2 * kBlockPixels);
  Put<kStores>(hn::BitCast(d8, hn::InterleaveUpper(d16, upper_bg, upper_ra)), to + 3 * kBlockPixels);
}

template <Stores kStores, class Order>
HWY_INLINE void DecodeBlock(const std::uint8_t* y, const Terms& terms, std::uint8_t* to, Order order) {
  const V8 luma = hn::LoadU(D8(), y);
  const auto channel = [&](const Term& term) {
    return Reorder(hn::SaturatedSub(hn::SaturatedAdd(luma, term.plus), term.minus), order);
  };
  StorePixels<kStores>(channel(terms.blue), channel(terms.green), channel(terms.red), to);
}

// Loads U and V of a block as pairs.
HWY_INLINE V8 LoadPairs(const std::uint8_t* u, const std::uint8_t* v) {
  if (v == nullptr) return hn::LoadU(D8(), u);
  const D16 d16;
  const hn::Rebind<std::uint8_t, D16> half;
  return hn::BitCast(D8(),
                     hn::Or(hn::PromoteTo(d16, hn::LoadU(half, u)), hn::ShiftLeft<8>(hn::PromoteTo(d16, hn::LoadU(half, v)))));
}

struct Places {
  const std::uint8_t* y_top;
  const std::uint8_t* y_bottom;
  const std::uint8_t* u;
  const std::uint8_t* v;
  std::uint8_t* top;
  std::uint8_t* bottom;
};

template <Stores kStores, class Order>
HWY_INLINE void DecodeBlocks(const Places& at, const TermWeights& w, Order order) {
  const Terms terms = TermsOf(LoadPairs(at.u, at.v), w);
  DecodeBlock<kStores>(at.y_top, terms, at.top, order);
  DecodeBlock<kStores>(at.y_bottom, terms, at.bottom, order);
}

// Decodes less than a block through buffers of a block.
template <class Order>
HWY_INLINE void DecodeRest(const Places& at, std::size_t pixels, const TermWeights& w, Order order) {
  HWY_ALIGN std::uint8_t in[4][kBlockPixels] = {};
  HWY_ALIGN std::uint8_t out[2][4 * kBlockPixels];
  const std::size_t samples = (pixels + 1) / 2;
  std::memcpy(in[0], at.y_top, pixels);
  std::memcpy(in[1], at.y_bottom, pixels);
  std::memcpy(in[2], at.u, at.v == nullptr ? 2 * samples : samples);
  if (at.v != nullptr) std::memcpy(in[3], at.v, samples);
  DecodeBlocks<Stores::kCached>({in[0], in[1], in[2], at.v == nullptr ? nullptr : in[3], out[0], out[1]}, w, order);
  std::memcpy(at.top, out[0], 4 * pixels);
  std::memcpy(at.bottom, out[1], 4 * pixels);
}

template <Stores kStores>
HWY_INLINE void DecodeRows(const DecodeRowPair& rows, const TermWeights& weights) {
  const TermWeights w = weights;
  const auto order = ToBlocks();
  const auto place = [&rows](std::size_t x) {
    const std::size_t chroma = rows.v == nullptr ? x : x / 2;
    return Places{reinterpret_cast<const std::uint8_t*>(rows.y_top) + x,
                  reinterpret_cast<const std::uint8_t*>(rows.y_bottom) + x,
                  reinterpret_cast<const std::uint8_t*>(rows.u) + chroma,
                  rows.v == nullptr ? nullptr : reinterpret_cast<const std::uint8_t*>(rows.v) + chroma,
                  reinterpret_cast<std::uint8_t*>(rows.top) + 4 * x,
                  reinterpret_cast<std::uint8_t*>(rows.bottom) + 4 * x};
  };
  std::size_t x = 0;
  for (; x + kBlockPixels <= rows.width; x += kBlockPixels) {
    const Places at = place(x);
    if (rows.y_ahead != 0 && x % kLineBytes == 0) {
      hwy::Prefetch(at.y_top + rows.y_ahead);
      hwy::Prefetch(at.y_bottom + rows.y_ahead);
      hwy::Prefetch(at.u + rows.chroma_ahead);
      if (at.v != nullptr) hwy::Prefetch(at.v + rows.chroma_ahead);
    }
    DecodeBlocks<kStores>(at, w, order);
  }
  if (x < rows.width) DecodeRest(place(x), rows.width - x, w, order);
}

void DecodePair(const DecodeRowPair& rows, const TermWeights& weights) { DecodeRows<Stores::kCached>(rows, weights); }

void DecodePairStreamed(const DecodeRowPair& rows, const TermWeights& weights) {
  const auto misaligned =
      (reinterpret_cast<std::uintptr_t>(rows.top) | reinterpret_cast<std::uintptr_t>(rows.bottom)) % kBlockPixels;
  if (misaligned != 0) {
    DecodeRows<Stores::kCached>(rows, weights);
  } else {
    DecodeRows<Stores::kStreamed>(rows, weights);
  }
}

constexpr std::uint32_t kChunkPixels = 256;
constexpr std::uint32_t kChunkSamples = kChunkPixels / 2;

// Chroma samples of a chunk times 4, three quarters from the nearer row, with one neighbour on each side.
struct ChunkColumns {
  static constexpr std::size_t kFirst = HWY_MAX_BYTES / 2;  // start of the chunk's own samples, aligned
  HWY_ALIGN std::int16_t u[kChunkSamples + 2 * kFirst];
  HWY_ALIGN std::int16_t v[kChunkSamples + 2 * kFirst];
};

HWY_INLINE V16 BlendRows(V16 nearer, V16 further) { return hn::Add(hn::Add(nearer, hn::ShiftLeft<1>(nearer)), further); }

// Blends samples first to first + count - 1 of the row and their neighbours; the row's ends repeat.
HWY_INLINE void BlendColumns(const DecodeRow& row, std::size_t first, std::size_t count, ChunkColumns& columns) {
  const D16 d16;
  const hn::RebindToUnsigned<D16> du16;
  const hn::Rebind<std::uint8_t, D16> half;
  const std::size_t lanes = hn::Lanes(d16);
  const bool pairs = row.v_near == nullptr;
  const auto at = [](const std::byte* bytes, std::size_t i) { return reinterpret_cast<const std::uint8_t*>(bytes) + i; };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    std::int16_t* const u = columns.u + ChunkColumns::kFirst + i;
    std::int16_t* const v = columns.v + ChunkColumns::kFirst + i;
    if (pairs) {
      const auto words = [&](const std::byte* of) { return hn::BitCast(du16, hn::LoadU(D8(), at(of, 2 * (first + i)))); };
      const auto low = [&](auto w) { return hn::BitCast(d16, hn::And(w, hn::Set(du16, std::uint16_t{0xFF}))); };
      const auto high = [&](auto w) { return hn::BitCast(d16, hn::ShiftRight<8>(w)); };
      const auto nearer = words(row.u_near);
      const auto further = words(row.u_far);
      hn::Store(BlendRows(low(nearer), low(further)), d16, u);
      hn::Store(BlendRows(high(nearer), high(further)), d16, v);
    } else {
      const auto words = [&](const std::byte* of) { return hn::PromoteTo(d16, hn::LoadU(half, at(of, first + i))); };
      hn::Store(BlendRows(words(row.u_near), words(row.u_far)), d16, u);
      hn::Store(BlendRows(words(row.v_near), words(row.v_far)), d16, v);
    }
  }
  const auto single = [&](std::size_t sample, std::size_t place) {
    const auto blend = [&](const std::byte* of_near, const std::byte* of_far, std::size_t index) {
      return static_cast<std::int16_t>(3 * *at(of_near, index) + *at(of_far, index));
    };
    columns.u[place] = blend(row.u_near, row.u_far, pairs ? 2 * sample : sample);
    columns.v[place] = pairs ? blend(row.u_near, row.u_far, 2 * sample + 1) : blend(row.v_near, row.v_far, sample);
  };
  const std::size_t last = ChromaExtent(row.width) - 1;
  for (; i < count; ++i) single(first + i, ChunkColumns::kFirst + i);
  single(first == 0 ? 0 : first - 1, ChunkColumns::kFirst - 1);
  single(HWY_MIN(first + count, last), ChunkColumns::kFirst + count);
}

// Interpolates to full resolution, around 0 times 16.
HWY_INLINE void WidenColumns(const std::int16_t* columns, std::size_t count, ChromaFilter filter, std::int16_t* to) {
  const D16 d16;
  const V16 zero_level = hn::Set(d16, std::int16_t{16 * 128});
  for (std::size_t i = 0; i < count; i += hn::Lanes(d16)) {
    const V16 own = hn::LoadU(d16, columns + i);
    if (filter == ChromaFilter::kNearest) {
      const V16 both = hn::Sub(hn::ShiftLeft<2>(own), zero_level);
      hn::StoreInterleaved2(both, both, d16, to + 2 * i);
      continue;
    }
    const V16 thrice = hn::Sub(hn::Add(own, hn::ShiftLeft<1>(own)), zero_level);
    const V16 even = hn::Add(thrice, hn::LoadU(d16, columns + i - 1));
    const V16 odd = hn::Add(thrice, hn::LoadU(d16, columns + i + 1));
    hn::StoreInterleaved2(even, odd, d16, to + 2 * i);
  }
}

// Works in chunks: chroma at full resolution first, then the sums in 32 bits.
void DecodeSums(const DecodeRow& row, const SumWeights& w, ChromaFilter filter) {
  const D32 d;
  const hn::Rebind<std::int16_t, D32> narrow16;
  const hn::Rebind<std::uint8_t, D32> narrow8;
  const std::size_t lanes = hn::Lanes(d);
  ChunkColumns columns = {};
  HWY_ALIGN std::int16_t u[kChunkPixels] = {};
  HWY_ALIGN std::int16_t v[kChunkPixels] = {};
  HWY_ALIGN std::uint8_t luma[kChunkPixels] = {};
  HWY_ALIGN std::uint32_t out[kChunkPixels];
  for (std::uint32_t first = 0; first < row.width; first += kChunkPixels) {
    const std::uint32_t pixels = HWY_MIN(kChunkPixels, row.width - first);
    const std::uint32_t samples = ChromaExtent(pixels);
    BlendColumns(row, first / 2, samples, columns);
    WidenColumns(columns.u + ChunkColumns::kFirst, samples, filter, u);
    WidenColumns(columns.v + ChunkColumns::kFirst, samples, filter, v);
    std::memcpy(luma, row.y + first, pixels);
    for (std::size_t x = 0; x < pixels; x += lanes) {
      const auto blue_difference = hn::PromoteTo(d, hn::Load(narrow16, u + x));
      const auto red_difference = hn::PromoteTo(d, hn::Load(narrow16, v + x));
      const auto level = hn::Sub(hn::PromoteTo(d, hn::Load(narrow8, luma + x)), hn::Set(d, w.luma_offset));
      const auto y = hn::Add(hn::Mul(level, hn::Set(d, w.luma)), hn::Set(d, 1 << (kSumShift - 1)));
      const auto byte = [&](V32 sum) { return hn::Min(hn::Max(hn::ShiftRight<kSumShift>(sum), hn::Zero(d)), hn::Set(d, 255)); };
      const auto red = byte(hn::Add(y, hn::Mul(red_difference, hn::Set(d, w.red_v))));
      const auto green = byte(
          hn::Add(y, hn::Add(hn::Mul(blue_difference, hn::Set(d, w.green_u)), hn::Mul(red_difference, hn::Set(d, w.green_v)))));
      const auto blue = byte(hn::Add(y, hn::Mul(blue_difference, hn::Set(d, w.blue_u))));
      const auto color = hn::Or(hn::Or(blue, hn::ShiftLeft<8>(green)), hn::Or(hn::ShiftLeft<16>(red), hn::Set(d, -(1 << 24))));
      const hn::RebindToUnsigned<D32> du;
      hn::Store(hn::BitCast(du, color), du, out + x);
    }
    std::memcpy(row.pixels + 4 * std::size_t{first}, out, 4 * std::size_t{pixels});
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace tandem::color::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::color::simd {
HWY_EXPORT(DecodePair);
HWY_EXPORT(DecodePairStreamed);
HWY_EXPORT(DecodeSums);

DecodeRowPairFunction DecodeRowPairFunctionFor(Stores stores) {
  ChooseTarget();
  return stores == Stores::kStreamed ? HWY_DYNAMIC_DISPATCH(DecodePairStreamed) : HWY_DYNAMIC_DISPATCH(DecodePair);
}

DecodeRowFunction DecodeRowFunctionHere() {
  ChooseTarget();
  return HWY_DYNAMIC_DISPATCH(DecodeSums);
}

}  // namespace tandem::color::simd
#endif  // HWY_ONCE
