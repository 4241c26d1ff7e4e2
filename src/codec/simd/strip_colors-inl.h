// Finds the few colours of a tile. Included once for each instruction set.
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
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// A bit for each byte.
[[maybe_unused]] HWY_INLINE std::uint64_t BitsOf(hn::Mask<D8> mask) {
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

constexpr std::size_t kTileVectors = kTileSamples / kVectorBytes;

// Loads the rows of a tile without gaps.
HWY_INLINE void LoadTile(const std::uint8_t* rows, V8 (&tile)[kTileVectors]) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  // Rows join in registers: a vector load of several fresh stores would wait until these have left the core.
  const auto row = [&](std::uint32_t y) { return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(rows + y * kStripWidth)); };
  __m512i all = _mm512_broadcastq_epi64(row(0));
  HWY_UNROLL(8)
  for (std::uint32_t y = 1; y < kTileExtent; ++y) {
    all = _mm512_mask_broadcastq_epi64(all, static_cast<__mmask8>(1U << y), row(y));
  }
  tile[0] = V8{all};
#else
  HWY_ALIGN std::uint8_t bytes[kTileSamples];
  for (std::uint32_t y = 0; y < kTileExtent; ++y) std::memcpy(bytes + 8 * y, rows + y * kStripWidth, 8);
  for (std::size_t i = 0; i < kTileVectors; ++i) tile[i] = hn::Load(D8(), bytes + i * kVectorBytes);
#endif
}

template <std::uint32_t kChannels>
HWY_INLINE std::uint32_t ColorsOfTile(const StripPlanes& planes, std::uint32_t index, std::uint32_t most, TileColors& colors) {
  V8 tiles[kChannels][kTileVectors];
  HWY_UNROLL(4)
  for (std::uint32_t c = 0; c < kChannels; ++c) LoadTile(planes.at[c][0] + kTileExtent * index, tiles[c]);
  std::uint32_t count = 0;
  for (std::uint64_t left = ~0ULL; left != 0; ++count) {
    if (count == most) return 0;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(left));
    std::uint32_t color = 0;
    V8 values[kChannels];
    HWY_UNROLL(4)
    for (std::uint32_t c = 0; c < kChannels; ++c) {
      const std::uint8_t value = planes.at[c][first / kTileExtent][kTileExtent * index + first % kTileExtent];
      color |= std::uint32_t{value} << (8 * c);
      values[c] = hn::Set(D8(), value);
    }
    std::uint64_t same = 0;
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < kTileVectors; ++i) {
      auto mask = hn::Eq(tiles[0][i], values[0]);
      HWY_UNROLL(4)
      for (std::uint32_t c = 1; c < kChannels; ++c) mask = hn::And(mask, hn::Eq(tiles[c][i], values[c]));
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

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
