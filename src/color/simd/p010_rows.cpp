// Compiled once for each instruction set by foreach_target.h.
#include "color/simd/p010_rows.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "color/simd/p010_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::color::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void EncodeP010Rows(const P010RowPair& rows, const P010Weights& weights) { EncodeP010RowsReference(rows, weights); }
void DecodeP010Row(const P010Row& row, const P010Weights& weights) { DecodeP010RowReference(row, weights); }

#else

using D = hn::ScalableTag<std::int32_t>;
using V = hn::Vec<D>;
using Words = hn::Rebind<std::uint16_t, D>;
constexpr std::size_t kMaxLanes = hn::MaxLanes(D());

template <int kShift>
HWY_INLINE V Rounded(V value) {
  return hn::ShiftRight<kShift>(hn::Add(value, hn::Set(D(), 1 << (kShift - 1))));
}

HWY_INLINE V Clamped(V value) { return hn::Min(hn::Max(value, hn::Zero(D())), hn::Set(D(), kP010Samples)); }

HWY_INLINE V Sum(V a, std::int32_t by_a, V b, std::int32_t by_b) {
  return hn::Add(hn::Mul(a, hn::Set(D(), by_a)), hn::Mul(b, hn::Set(D(), by_b)));
}

HWY_INLINE V Load(const std::byte* at) { return hn::LoadU(D(), reinterpret_cast<const std::int32_t*>(at)); }
HWY_INLINE V LoadWords(const std::byte* at) {
  return hn::ShiftRight<kP010Unused>(hn::PromoteTo(D(), hn::LoadU(Words(), reinterpret_cast<const std::uint16_t*>(at))));
}
HWY_INLINE void StoreWords(V samples, std::byte* to) {
  hn::StoreU(hn::DemoteTo(Words(), hn::ShiftLeft<kP010Unused>(samples)), Words(), reinterpret_cast<std::uint16_t*>(to));
}

// B - G and R - G of pixels whose luma is stored.
struct Differences {
  V blue, red;
};

HWY_INLINE Differences EncodeLuma(const std::byte* pixels, std::byte* y, const P010Weights& w) {
  const V mask = hn::Set(D(), 1023);
  const V pixel = Load(pixels);
  const V red = hn::And(pixel, mask);
  const V green = hn::And(hn::ShiftRight<10>(pixel), mask);
  const V blue = hn::And(hn::ShiftRight<20>(pixel), mask);
  const V luma = hn::Add(Sum(red, w.luma_red, green, w.luma_green), hn::Mul(blue, hn::Set(D(), w.luma_blue)));
  StoreWords(hn::Add(Rounded<kP010LumaShift>(luma), hn::Set(D(), w.luma_offset)), y);
  return {hn::Sub(blue, green), hn::Sub(red, green)};
}

// Encodes as many pixels of each row as a vector has lanes.
HWY_INLINE void EncodeBlock(const P010RowPair& at, const P010Weights& w) {
  const Differences top = EncodeLuma(at.top, at.y_top, w);
  const Differences bottom = EncodeLuma(at.bottom, at.y_bottom, w);
  const auto sum = [](V a, V b) {
    const V column = hn::Add(a, b);
    return hn::Add(column, hn::Shuffle2301(column));
  };
  const V blue = sum(top.blue, bottom.blue);
  const V red = sum(top.red, bottom.red);
  const V pairs = hn::OddEven(Sum(blue, w.v_blue, red, w.v_red), Sum(blue, w.u_blue, red, w.u_red));
  StoreWords(Clamped(hn::Add(Rounded<kP010ChromaShift + 2>(pairs), hn::Set(D(), kP010Middle))), at.uv);
}

void EncodeP010Rows(const P010RowPair& rows, const P010Weights& weights) {
  const P010Weights w = weights;
  const std::size_t lanes = hn::Lanes(D());
  std::size_t x = 0;
  for (; x + lanes <= rows.width; x += lanes) {
    EncodeBlock({rows.top + 4 * x, rows.bottom + 4 * x, rows.y_top + 2 * x, rows.y_bottom + 2 * x, rows.uv + 2 * x, 0}, w);
  }
  if (x == rows.width) return;
  // Buffers hold the rest; the last pixel of an odd width is its own neighbour.
  std::byte in[2][4 * kMaxLanes] = {};
  std::byte out[3][2 * kMaxLanes];
  const std::size_t pixels = rows.width - x;
  std::memcpy(in[0], rows.top + 4 * x, 4 * pixels);
  std::memcpy(in[1], rows.bottom + 4 * x, 4 * pixels);
  if (pixels % 2 != 0) {
    for (std::byte* row : in) std::memcpy(row + 4 * pixels, row + 4 * (pixels - 1), 4);
  }
  EncodeBlock({in[0], in[1], out[0], out[1], out[2], 0}, w);
  std::memcpy(rows.y_top + 2 * x, out[0], 2 * pixels);
  std::memcpy(rows.y_bottom + 2 * x, out[1], 2 * pixels);
  std::memcpy(rows.uv + 2 * x, out[2], 2 * (pixels + pixels % 2));
}

HWY_INLINE void DecodeBlock(const std::byte* y, const std::byte* uv, std::byte* to, const P010Weights& w) {
  const V luma = LoadWords(y);
  const V pairs = hn::Sub(LoadWords(uv), hn::Set(D(), kP010Middle));
  const V u = hn::DupEven(pairs);
  const V v = hn::DupOdd(pairs);
  const auto channel = [luma](V term) { return Clamped(hn::Add(luma, Rounded<kP010LumaShift>(term))); };
  const V red = channel(hn::Mul(v, hn::Set(D(), w.red_v)));
  const V green = channel(Sum(u, w.green_u, v, w.green_v));
  const V blue = channel(hn::Mul(u, hn::Set(D(), w.blue_u)));
  const V opaque = hn::Set(D(), static_cast<std::int32_t>(3U << 30));
  const V pixel = hn::Or(hn::Or(red, hn::ShiftLeft<10>(green)), hn::Or(hn::ShiftLeft<20>(blue), opaque));
  hn::StoreU(pixel, D(), reinterpret_cast<std::int32_t*>(to));
}

void DecodeP010Row(const P010Row& row, const P010Weights& weights) {
  const P010Weights w = weights;
  const std::size_t lanes = hn::Lanes(D());
  std::size_t x = 0;
  for (; x + lanes <= row.width; x += lanes) DecodeBlock(row.y + 2 * x, row.uv + 2 * x, row.pixels + 4 * x, w);
  if (x == row.width) return;
  std::byte in[2][2 * kMaxLanes] = {};
  std::byte out[4 * kMaxLanes];
  const std::size_t pixels = row.width - x;
  std::memcpy(in[0], row.y + 2 * x, 2 * pixels);
  std::memcpy(in[1], row.uv + 2 * x, 2 * (pixels + pixels % 2));
  DecodeBlock(in[0], in[1], out, w);
  std::memcpy(row.pixels + 4 * x, out, 4 * pixels);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace tandem::color::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::color::simd {
HWY_EXPORT(EncodeP010Rows);
HWY_EXPORT(DecodeP010Row);

void EncodeP010Rows(const P010RowPair& rows, const P010Weights& weights) { HWY_DYNAMIC_DISPATCH(EncodeP010Rows)(rows, weights); }

void DecodeP010Row(const P010Row& row, const P010Weights& weights) { HWY_DYNAMIC_DISPATCH(DecodeP010Row)(row, weights); }

}  // namespace tandem::color::simd
#endif  // HWY_ONCE
