// The few colours of a tile. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_COLORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_COLORS_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_COLORS_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_COLORS_INL_H_
#endif

#include <bit>
#include <cstring>

#include "codec/simd/strip_words-inl.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// A bit for each byte.
HWY_INLINE std::uint64_t BitsOf(hn::Mask<D8> mask) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return mask.raw;
#else
  std::uint8_t bytes[kVectorBytes / 8];
  hn::StoreMaskBits(D8(), mask, bytes);
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, sizeof(bytes));
  return bits;
#endif
}

template <std::uint32_t kChannels>
HWY_INLINE std::uint32_t ColorsOfTile(const StripPlanes& planes, std::uint32_t index, std::uint32_t most, TileColors& colors) {
  constexpr std::size_t kParts = kTileSamples / kVectorBytes;
  const D8 d;
  HWY_ALIGN std::uint8_t samples[kChannels][kTileSamples];
  V8 parts[kChannels][kParts];
  HWY_UNROLL(4)
  for (std::uint32_t c = 0; c < kChannels; ++c) {
    HWY_UNROLL(8)
    for (std::uint32_t y = 0; y < kTileExtent; ++y) std::memcpy(samples[c] + 8 * y, planes.at[c][y] + 8 * index, 8);
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < kParts; ++i) parts[c][i] = hn::Load(d, samples[c] + i * kVectorBytes);
  }
  std::uint32_t count = 0;
  for (std::uint64_t left = ~0ULL; left != 0; ++count) {
    if (count == most) return 0;
    const auto first = static_cast<std::size_t>(std::countr_zero(left));
    std::uint32_t color = 0;
    V8 value[kChannels];
    HWY_UNROLL(4)
    for (std::uint32_t c = 0; c < kChannels; ++c) {
      color |= std::uint32_t{samples[c][first]} << (8 * c);
      value[c] = hn::Set(d, samples[c][first]);
    }
    std::uint64_t same = 0;
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < kParts; ++i) {
      auto mask = hn::Eq(parts[0][i], value[0]);
      HWY_UNROLL(4)
      for (std::uint32_t c = 1; c < kChannels; ++c) mask = hn::And(mask, hn::Eq(parts[c][i], value[c]));
      same |= BitsOf(mask) << (i * kVectorBytes);
    }
    colors.values[count] = color;
    colors.samples[count] = same;
    left &= ~same;
  }
  return count;
}

std::uint32_t Colors(const StripPlanes& planes, std::uint32_t channels, std::uint32_t index, std::uint32_t most,
                     TileColors& colors) {
  if (channels == 3) return ColorsOfTile<3>(planes, index, most, colors);
  if (channels == 4) return ColorsOfTile<4>(planes, index, most, colors);
  return ColorsOfTile<1>(planes, index, most, colors);
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace tandem::codec::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
