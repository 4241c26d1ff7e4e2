// Checks several tiles' heads against their sizes at once. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_CHECK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_CHECK_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_CHECK_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_CHECK_INL_H_
#endif

#include <bit>
#include <cstddef>

#include "codec/simd/strip_words-inl.h"
#include "codec/tiles/tile_format.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL

// Places of the widths in a tile's first 16 bytes. Four channels do not fit.
template <std::uint32_t kChannels>
struct HeadPlaces {
  static_assert(kChannels < 4);
  alignas(16) std::uint8_t width_number[16];  // 255: none
  alignas(16) std::uint8_t bit_value[16];     // value of a byte's bit in each row's width
  alignas(16) std::uint8_t lowest_bit[16];    // 1: the byte has the width's lowest bit
  alignas(16) std::uint8_t told_bytes[16];    // indexed by a tile's mask of channels; 255: a channel does not exist
};

template <std::uint32_t kChannels>
inline constexpr HeadPlaces<kChannels> kHeadPlaces = [] {
  HeadPlaces<kChannels> places{};
  for (std::uint32_t i = 0; i < 16; ++i) {
    const std::uint32_t number = i - 1 - kChannels;
    const bool is_width = i > kChannels && number < 3 * kChannels;
    places.width_number[i] = is_width ? static_cast<std::uint8_t>(number) : 255;
    places.bit_value[i] = is_width ? static_cast<std::uint8_t>(1U << number % 3) : 0;
    places.lowest_bit[i] = is_width && number % 3 == 0 ? 1 : 0;
    places.told_bytes[i] = i >> kChannels != 0 ? 255 : static_cast<std::uint8_t>(3 * std::popcount(i));
  }
  return places;
}();

HWY_INLINE __m512i InEachQuarter(const std::uint8_t (&bytes)[16]) {
  return _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(bytes)));
}

// Bytes behind the bases according to the heads of four tiles, one in each quarter. All parts of 32 bits contain the result. An
// invalid head gives more than any tile has.
template <std::uint32_t kChannels>
HWY_INLINE __m512i ToldBytes(__m512i tiles) {
  const HeadPlaces<kChannels>& places = kHeadPlaces<kChannels>;
  const __m512i heads = _mm512_shuffle_epi8(tiles, _mm512_setzero_si512());
  const __m512i present = _mm512_and_si512(_mm512_srli_epi16(heads, 2), _mm512_set1_epi8(15));
  const __m512i told = _mm512_shuffle_epi8(InEachQuarter(places.told_bytes), present);
  const __mmask64 is_told = _mm512_cmplt_epu8_mask(InEachQuarter(places.width_number), told);
  const __m512i widths = _mm512_maskz_mov_epi8(is_told, tiles);
  const __m512i all_bits =
      _mm512_and_si512(widths, _mm512_and_si512(_mm512_bsrli_epi128(widths, 1), _mm512_bsrli_epi128(widths, 2)));
  const __m512i three = _mm512_set1_epi8(3);
  const __mmask64 no_predictor = _mm512_cmpeq_epi8_mask(_mm512_and_si512(heads, three), three);
  // A row's width is the sum of its bits, plus one if all three are set.
  __m512i sums = _mm512_maskz_and_epi32(0x1111, told, _mm512_set1_epi32(0xFF));
  sums = _mm512_dpbusd_epi32(sums, _mm512_popcnt_epi8(widths), InEachQuarter(places.bit_value));
  sums = _mm512_dpbusd_epi32(sums, _mm512_popcnt_epi8(all_bits), InEachQuarter(places.lowest_bit));
  sums = _mm512_dpbusd_epi32(sums, _mm512_maskz_set1_epi8(no_predictor, -1), _mm512_set1_epi8(1));
  sums = _mm512_add_epi32(sums, _mm512_shuffle_epi32(sums, _MM_PERM_CDAB));
  return _mm512_add_epi32(sums, _mm512_shuffle_epi32(sums, _MM_PERM_BADC));
}

template <std::uint32_t kChannels>
HWY_INLINE std::uint32_t SoundBytesOf(const std::uint8_t* entries, const std::uint8_t* tiles) {
  const __m256i extra = _mm256_sub_epi32(_mm256_cvtepu8_epi32(_mm_loadu_si64(entries)), _mm256_set1_epi32(kEntryPredicted));
  const __mmask8 predicted = _mm256_cmpge_epi32_mask(extra, _mm256_setzero_si256());
  const std::uint8_t* at = tiles;
  if (predicted == 0) {
    for (std::uint32_t i = 0; i < kStripTiles; ++i) at += TileBytes(entries[i], kChannels);
    return static_cast<std::uint32_t>(at - tiles);
  }
  __m512i firsts[2];  // first bytes of four tiles
  HWY_UNROLL(2)
  for (std::uint32_t half = 0; half < 2; ++half) {
    const auto next = [&](std::uint32_t i) {
      const auto* const tile = reinterpret_cast<const __m128i*>(at);
      at += TileBytes(entries[4 * half + i], kChannels);
      return _mm_loadu_si128(tile);
    };
    firsts[half] = _mm512_castsi128_si512(next(0));
    firsts[half] = _mm512_inserti32x4(firsts[half], next(1), 1);
    firsts[half] = _mm512_inserti32x4(firsts[half], next(2), 2);
    firsts[half] = _mm512_inserti32x4(firsts[half], next(3), 3);
  }
  const __m512i each_fourth = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m256i told = _mm512_castsi512_si256(
      _mm512_permutex2var_epi32(ToldBytes<kChannels>(firsts[0]), each_fourth, ToldBytes<kChannels>(firsts[1])));
  if (_mm256_mask_cmpneq_epi32_mask(predicted, told, extra) != 0) return kLookAtEach;
  return static_cast<std::uint32_t>(at - tiles);
}

std::uint32_t SoundBytes(const std::uint8_t* entries, const std::uint8_t* tiles, std::uint32_t channels) {
  if (channels == 3) return SoundBytesOf<3>(entries, tiles);
  return channels == 1 ? SoundBytesOf<1>(entries, tiles) : kLookAtEach;
}

#elif HWY_TARGET != HWY_SCALAR

constexpr std::nullptr_t SoundBytes = nullptr;

#endif

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
