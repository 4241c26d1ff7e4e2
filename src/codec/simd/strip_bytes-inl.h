// Converts residuals to the bytes of predicted tiles and back. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_BYTES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_BYTES_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_BYTES_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_BYTES_INL_H_
#endif

#include <array>
#include <cstring>

#include "codec/simd/strip_pairs-inl.h"
#include "codec/simd/strip_words-inl.h"
#include "codec/tiles/tile_strip_bytes.h"
#include "codec/tiles/tile_widths.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

#if HWY_TARGET == HWY_AVX3_DL

// Indexed by a width of 0..8: as many low bits set.
alignas(16) inline constexpr std::uint8_t kOnes[16] = {0, 1, 3, 7, 15, 31, 63, 127, 255};

// A channel of a tile is one vector, whose kept bytes move together.
template <std::uint32_t kChannels>
HWY_INLINE void WriteTile(const StripCode& code, std::uint32_t index, std::uint32_t drop, std::uint8_t* out) {
  const __m128i ones = _mm_load_si128(reinterpret_cast<const __m128i*>(kOnes));
  std::uint8_t* at = WriteTileHead(code, kChannels, index, drop, out);
  for (std::uint32_t c = 0; c < kChannels; ++c) {
    const __m128i widths = _mm_loadu_si64(&code.widths[c][index]);
    const auto kept = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_shuffle_epi8(ones, widths)));
    _mm512_storeu_si512(at, _mm512_maskz_compress_epi8(kept, _mm512_load_si512(code.rows[c][index])));
    at += _mm_popcnt_u64(kept);
  }
}

// Indexed by a tile's mask of channels: places of its channels' width bytes, the last byte first.
alignas(32) inline constexpr auto kWidthPlaces = [] {
  std::array<std::array<std::uint8_t, 8 * kMaxChannels>, 16> places{};
  for (std::uint32_t present = 0; present < places.size(); ++present) {
    std::uint8_t at = 0;
    for (std::uint32_t i = 0; i < 8 * kMaxChannels; ++i) {
      const bool is_there = i % 8 >= 5 && (present >> i / 8 & 1) != 0;
      places[present][i] = is_there ? static_cast<std::uint8_t>(at + 7 - i % 8) : 0x80;
      if (is_there && i % 8 == 7) at += 3;
    }
  }
  return places;
}();

// The coded widths of a tile's rows, in a word for each channel. `present`: mask of channels with widths.
HWY_INLINE __m256i ToldWidths(const std::uint8_t* widths, std::uint32_t present) {
  const __m256i all = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(widths)));
  const __m256i places = _mm256_load_si256(reinterpret_cast<const __m256i*>(kWidthPlaces[present].data()));
  const __m256i each_bit = _mm256_set1_epi64x(static_cast<std::int64_t>(0x8040201008040201ULL));
  return _mm256_gf2p8affine_epi64_epi8(each_bit, _mm256_shuffle_epi8(all, places), 0);
}

// A word of masks for each channel, which mark a row's kept bytes.
HWY_INLINE __m256i KeptBytes(const std::uint8_t* widths, std::uint32_t present) {
  const __m256i ones_of_told = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 3, 7, 15, 31, 63, -1, 0, 0, 0, 0, 0, 0, 0, 0));
  return _mm256_shuffle_epi8(ones_of_told, ToldWidths(widths, present));
}

// Bytes of a tile's rows, as partial sums in two words.
HWY_INLINE __m128i RowBytes(const std::uint8_t* widths, std::uint32_t present) {
  const __m256i width_of_told = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i rows = _mm256_shuffle_epi8(width_of_told, ToldWidths(widths, present));
  return _mm_add_epi8(_mm256_castsi256_si128(rows), _mm256_extracti128_si256(rows, 1));
}

template <std::uint32_t kChannels>
HWY_INLINE std::uint32_t UnsoundTiles(const std::uint8_t* const (&tiles)[kStripTiles],
                                      const std::uint64_t (&bytes)[kStripTiles]) {
  std::uint64_t row_bytes[kStripTiles];  // from the tile's length
  std::uint32_t wrong = 0;
  __m128i said[kStripTiles];
  HWY_UNROLL(8)
  for (std::uint32_t i = 0; i < kStripTiles; ++i) {
    const std::uint8_t* const tile = tiles[i] != nullptr ? tiles[i] : kZeroTile;
    const std::uint32_t present = tile[0] >> 2 & 15U;
    wrong |= ((tile[0] & 3U) > static_cast<std::uint32_t>(Predictor::kPlane) || present >> kChannels != 0 ? 1U : 0U) << i;
    said[i] = RowBytes(tile + 1 + kChannels, present);
    row_bytes[i] = tiles[i] == nullptr ? 0 : bytes[i] - (1 + kChannels + 3U * kBitCounts[present]);
  }
  const auto pair = [&](std::uint32_t i) {
    return _mm_add_epi8(_mm_unpacklo_epi64(said[i], said[i + 1]), _mm_unpackhi_epi64(said[i], said[i + 1]));
  };
  const __m256i lower = _mm256_inserti128_si256(_mm256_castsi128_si256(pair(0)), pair(2), 1);
  const __m256i upper = _mm256_inserti128_si256(_mm256_castsi128_si256(pair(4)), pair(6), 1);
  const __m512i sums = _mm512_sad_epu8(_mm512_inserti64x4(_mm512_castsi256_si512(lower), upper, 1), _mm512_setzero_si512());
  // Stored and read one by one: a vector load of several fresh stores would wait until these have left the core.
  alignas(64) std::uint64_t said_bytes[kStripTiles];
  _mm512_store_si512(said_bytes, sums);
  HWY_UNROLL(8)
  for (std::uint32_t i = 0; i < kStripTiles; ++i) wrong |= (said_bytes[i] != row_bytes[i] ? 1U : 0U) << i;
  return wrong;
}

std::uint32_t Unsound(const std::uint8_t* const (&tiles)[kStripTiles], const std::uint64_t (&bytes)[kStripTiles],
                      std::uint32_t channels) {
  if (channels == 3) return UnsoundTiles<3>(tiles, bytes);
  if (channels == 4) return UnsoundTiles<4>(tiles, bytes);
  return UnsoundTiles<1>(tiles, bytes);
}

#else

std::uint32_t Unsound(const std::uint8_t* const (&tiles)[kStripTiles], const std::uint64_t (&bytes)[kStripTiles],
                      std::uint32_t channels) {
  return UnsoundTileBytes(tiles, bytes, channels);
}

#endif

void Write(const StripCode& code, std::uint32_t channels, std::uint32_t index, std::uint32_t drop, std::uint8_t* out) {
  if (channels == 3) return WriteTile<3>(code, index, drop, out);
  if (channels == 4) return WriteTile<4>(code, index, drop, out);
  WriteTile<1>(code, index, drop, out);
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
