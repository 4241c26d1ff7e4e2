// Compiled once for each instruction set by foreach_target.h.
#include "color/simd/convert_rows.h"

#include <cstring>
#include <iterator>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "color/simd/convert_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::color::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Runs `vector(d, from_pixels, x of the first) -> packed B8G8R8A8` over a row of 4-byte pixels. A padded vector handles the
// last ones.
template <class Function>
void ForEachPixel(std::byte* destination, const std::byte* source, std::uint32_t width, Function&& function) {
  const hn::ScalableTag<std::uint32_t> d;
  const std::size_t lanes = hn::Lanes(d);
  auto* to = reinterpret_cast<std::uint32_t*>(destination);  // LoadU and StoreU take any alignment
  const auto* from = reinterpret_cast<const std::uint32_t*>(source);
  std::size_t x = 0;
  for (; x + lanes <= width; x += lanes) hn::StoreU(function(d, hn::LoadU(d, from + x), x), d, to + x);
  if (x == width) return;
  HWY_ALIGN std::uint32_t rest[HWY_MAX_BYTES / sizeof(std::uint32_t)] = {};
  std::memcpy(rest, source + 4 * x, 4 * (width - x));
  hn::Store(function(d, hn::Load(d, rest), x), d, rest);
  std::memcpy(destination + 4 * x, rest, 4 * (width - x));
}

void Rgba8Row(std::byte* destination, const std::byte* source, std::uint32_t width, std::uint32_t opaque) {
  ForEachPixel(destination, source, width, [opaque](auto d, auto v, std::size_t) {
    const auto green_alpha = hn::And(v, hn::Set(d, 0xFF00FF00U));
    const auto red = hn::ShiftLeft<16>(hn::And(v, hn::Set(d, 0x000000FFU)));
    const auto blue = hn::And(hn::ShiftRight<16>(v), hn::Set(d, 0x000000FFU));
    return hn::Or(hn::Or(green_alpha, hn::Set(d, opaque)), hn::Or(red, blue));
  });
}

void Bgra8Row(std::byte* destination, const std::byte* source, std::uint32_t width, std::uint32_t opaque) {
  ForEachPixel(destination, source, width, [opaque](auto d, auto v, std::size_t) { return hn::Or(v, hn::Set(d, opaque)); });
}

// Converts R10G10B10A2; `to8(vector)` converts a colour channel.
template <class D, class V, class To8>
HWY_INLINE V Rgb10ToBgra8(D d, V v, To8&& to8) {
  const auto mask = hn::Set(d, 0x3FFU);
  const auto red = hn::ShiftLeft<16>(to8(hn::And(v, mask)));
  const auto green = hn::ShiftLeft<8>(to8(hn::And(hn::ShiftRight<10>(v), mask)));
  const auto blue = to8(hn::And(hn::ShiftRight<20>(v), mask));
  const auto alpha = hn::ShiftLeft<24>(hn::Mul(hn::ShiftRight<30>(v), hn::Set(d, 85U)));
  return hn::Or(hn::Or(red, green), hn::Or(blue, alpha));
}

void Rgb10Row(std::byte* destination, const std::byte* source, std::uint32_t width, std::uint32_t opaque) {
  ForEachPixel(destination, source, width, [opaque](auto d, auto v, std::size_t) {
    // Computes (c * 255 + 511) / 1023 without a division; exact for all 1024 values.
    const auto to8 = [d](auto c) {
      const auto scaled = hn::Add(hn::Mul(c, hn::Set(d, 255U)), hn::Set(d, 511U));
      return hn::ShiftRight<10>(hn::Add(hn::Add(scaled, hn::ShiftRight<10>(scaled)), hn::Set(d, 1U)));
    };
    return hn::Or(Rgb10ToBgra8(d, v, to8), hn::Set(d, opaque));
  });
}

void DitherRgb10Row(std::byte* destination, const std::byte* source, std::uint32_t width, std::uint32_t opaque,
                    const DitherThresholds& thresholds) {
  std::uint32_t pattern[kDitherExtent + HWY_MAX_BYTES / sizeof(std::uint32_t)];
  for (std::size_t i = 0; i < std::size(pattern); ++i) pattern[i] = thresholds[i % kDitherExtent];
  ForEachPixel(destination, source, width, [&pattern, opaque](auto d, auto v, std::size_t x) {
    const auto threshold = hn::LoadU(d, pattern + x % kDitherExtent);
    // Rounds c * 65280 / 1023, which is 63 c and (831 c + 511) / 1023, without a division; exact for all 1024 values.
    const auto to8 = [&](auto c) {
      const auto scaled = hn::Add(hn::Mul(c, hn::Set(d, 831U)), hn::Set(d, 511U));
      const auto rest = hn::ShiftRight<10>(hn::Add(hn::Add(scaled, hn::ShiftRight<10>(scaled)), hn::Set(d, 1U)));
      return hn::ShiftRight<8>(hn::Add(hn::Add(hn::Mul(c, hn::Set(d, 63U)), rest), threshold));
    };
    return hn::Or(Rgb10ToBgra8(d, v, to8), hn::Set(d, opaque));
  });
}

// Works in blocks: clamp, scale, round to even, narrow to R8G8B8A8 in the cache, then swap to B8G8R8A8.
void HalfRow(std::byte* destination, const std::byte* source, std::uint32_t width, std::uint32_t opaque) {
  constexpr std::uint32_t kBlockPixels = 256;
  const hn::ScalableTag<float> df;
  const hn::Rebind<hwy::float16_t, decltype(df)> dh;
  const hn::Rebind<std::int16_t, decltype(df)> d16;
  const hn::Rebind<std::uint8_t, decltype(df)> d8;
  const std::size_t lanes = hn::Lanes(df);
  HWY_ALIGN std::int16_t halves[kBlockPixels * 4 + HWY_MAX_BYTES] = {};
  HWY_ALIGN std::uint8_t rgba[kBlockPixels * 4 + HWY_MAX_BYTES];
  for (std::uint32_t x = 0; x < width; x += kBlockPixels) {
    const std::uint32_t pixels = HWY_MIN(kBlockPixels, width - x);
    std::memcpy(halves, source + 8 * std::size_t{x}, 8 * std::size_t{pixels});
    for (std::size_t i = 0; i < 4 * std::size_t{pixels}; i += lanes) {
      // Integers that are not above 0 are negative numbers or zero; those above infinity's bits are NaN. All become 0.
      const auto bits = hn::Load(d16, halves + i);
      const auto number = hn::IfThenZeroElse(hn::Gt(bits, hn::Set(d16, std::int16_t{0x7C00})), hn::Max(bits, hn::Zero(d16)));
      hn::Store(number, d16, halves + i);
      const auto value = hn::PromoteTo(df, hn::Load(dh, reinterpret_cast<const hwy::float16_t*>(halves + i)));
      const auto scaled = hn::Mul(hn::Min(value, hn::Set(df, 1.0F)), hn::Set(df, 255.0F));
      hn::Store(hn::DemoteTo(d8, hn::NearestInt(scaled)), d8, rgba + i);
    }
    Rgba8Row(destination + 4 * std::size_t{x}, reinterpret_cast<const std::byte*>(rgba), pixels, opaque);
  }
}

}  // namespace tandem::color::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::color::simd {
HWY_EXPORT(Rgba8Row);
HWY_EXPORT(Bgra8Row);
HWY_EXPORT(Rgb10Row);
HWY_EXPORT(HalfRow);
HWY_EXPORT(DitherRgb10Row);

RowFunction RowFunctionFor(Format format) {
  switch (format) {
    case Format::kR8G8B8A8Unorm:
    case Format::kR8G8B8A8UnormSrgb: return HWY_DYNAMIC_DISPATCH(Rgba8Row);
    case Format::kB8G8R8A8Unorm:
    case Format::kB8G8R8A8UnormSrgb:
    case Format::kB8G8R8X8Unorm: return HWY_DYNAMIC_DISPATCH(Bgra8Row);
    case Format::kR10G10B10A2Unorm: return HWY_DYNAMIC_DISPATCH(Rgb10Row);
    case Format::kR16G16B16A16Float: return HWY_DYNAMIC_DISPATCH(HalfRow);
    case Format::kUnknown: break;
  }
  return nullptr;
}

void DitherRgb10Row(std::byte* destination, const std::byte* source, std::uint32_t width, std::uint32_t opaque,
                    const DitherThresholds& thresholds) {
  HWY_DYNAMIC_DISPATCH(DitherRgb10Row)(destination, source, width, opaque, thresholds);
}

}  // namespace tandem::color::simd
#endif  // HWY_ONCE
