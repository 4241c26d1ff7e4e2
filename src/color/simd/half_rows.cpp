// Compiled once for each instruction set by foreach_target.h.
#include "color/simd/half_rows.h"

#include <cstring>
#include <iterator>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "color/simd/half_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::color::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::uint16_t kOne = 0x3C00;  // 1.0

// Entries for the low 16 bits of each lane. The table is read by whole words, so no lane reads behind its end.
template <class D, class V>
HWY_INLINE V LookUp(D d, const std::uint16_t* table, V code) {
  const hn::RebindToSigned<D> di;
  const auto words = reinterpret_cast<const std::uint32_t*>(table);
  const auto pair = hn::GatherIndex(d, words, hn::BitCast(di, hn::ShiftRight<1>(code)));
  const auto low = hn::And(pair, hn::Set(d, 0xFFFFU));
  const auto is_odd = hn::Ne(hn::And(code, hn::Set(d, 1U)), hn::Zero(d));
  return hn::IfThenElse(is_odd, hn::ShiftRight<16>(pair), low);
}

// The words of as many pixels as there are lanes, from any address.
template <class D, class V>
HWY_INLINE void LoadPixels(D d, const std::byte* from, V& red_green, V& blue_alpha) {
#if HWY_TARGET == HWY_SCALAR
  std::uint32_t words[2];
  std::memcpy(words, from, sizeof(words));
  red_green = hn::Set(d, words[0]);
  blue_alpha = hn::Set(d, words[1]);
#else
  const hn::Repartition<std::uint8_t, D> bytes;
  const auto* const at = reinterpret_cast<const std::uint8_t*>(from);
  const auto first = hn::BitCast(d, hn::LoadU(bytes, at));
  const auto second = hn::BitCast(d, hn::LoadU(bytes, at + hn::Lanes(bytes)));
  red_green = hn::ConcatEven(d, second, first);
  blue_alpha = hn::ConcatOdd(d, second, first);
#endif
}

template <class D, class V>
HWY_INLINE void StorePixels([[maybe_unused]] D d, V pixels, std::byte* to) {
#if HWY_TARGET == HWY_SCALAR
  const std::uint32_t word = hn::GetLane(pixels);
  std::memcpy(to, &word, sizeof(word));
#else
  const hn::Repartition<std::uint8_t, D> bytes;
  hn::StoreU(hn::BitCast(bytes, pixels), bytes, reinterpret_cast<std::uint8_t*>(to));
#endif
}

// The tables lie in the nearest caches: of positive numbers up to 1 they have 30 KiB.
void HalfTableRow(std::byte* destination, const std::byte* source, std::uint32_t width, const HalfConversion& conversion) {
  const hn::ScalableTag<std::uint32_t> d;
  const std::size_t lanes = hn::Lanes(d);
  const bool dithers = conversion.thresholds != nullptr;
  std::uint32_t pattern[kDitherExtent + HWY_MAX_BYTES / sizeof(std::uint32_t)] = {};
  for (std::size_t i = 0; dithers && i < std::size(pattern); ++i) pattern[i] = (*conversion.thresholds)[i % kDitherExtent];
  const auto mask = hn::Set(d, 0xFFFFU);
  const auto convert = [&](const std::byte* from, std::size_t x) {
    hn::Vec<decltype(d)> red_green, blue_alpha;
    LoadPixels(d, from, red_green, blue_alpha);
    const auto threshold = hn::LoadU(d, pattern + x % kDitherExtent);
    const auto color = [&](auto code, std::size_t channel) {
      const auto value = LookUp(d, conversion.colors, code);
      const auto rounded = dithers ? hn::ShiftRight<8>(hn::Add(value, threshold)) : value;
      return hn::ShiftLeftSame(rounded, conversion.shift[channel]);
    };
    const auto red = color(hn::And(red_green, mask), 0);
    const auto green = color(hn::ShiftRight<16>(red_green), 1);
    const auto blue = color(hn::And(blue_alpha, mask), 2);
    // Most pictures are opaque, and that needs no table.
    const auto alpha_code = hn::ShiftRight<16>(blue_alpha);
    const auto opaque_code = hn::Set(d, std::uint32_t{kOne});
    const bool all_opaque = hn::AllTrue(d, hn::Eq(alpha_code, opaque_code));
    const auto alpha_value =
        all_opaque ? hn::Set(d, std::uint32_t{conversion.alphas[kOne]}) : LookUp(d, conversion.alphas, alpha_code);
    const auto alpha = hn::ShiftLeftSame(alpha_value, conversion.shift[3]);
    return hn::Or(hn::Or(red, green), hn::Or(hn::Or(blue, alpha), hn::Set(d, conversion.opaque)));
  };
  std::size_t x = 0;
  for (; x + lanes <= width; x += lanes) {
    StorePixels(d, convert(source + 8 * x, x), destination + 4 * x);
  }
  if (x == width) return;
  HWY_ALIGN std::byte rest[2 * HWY_MAX_BYTES] = {};
  std::memcpy(rest, source + 8 * x, 8 * (width - x));
  StorePixels(d, convert(rest, x), rest);
  std::memcpy(destination + 4 * x, rest, 4 * (width - x));
}

}  // namespace tandem::color::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::color::simd {
HWY_EXPORT(HalfTableRow);

void HalfRow(std::byte* destination, const std::byte* source, std::uint32_t width, const HalfConversion& conversion) {
  HWY_DYNAMIC_DISPATCH(HalfTableRow)(destination, source, width, conversion);
}

}  // namespace tandem::color::simd
#endif  // HWY_ONCE
