// Residuals to the bytes of predicted tiles and back. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_BYTES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_BYTES_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_BYTES_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_BYTES_INL_H_
#endif

#include <array>
#include <cstring>

#include "codec/simd/strip_words-inl.h"
#include "codec/tile_strip_bytes.h"
#include "codec/tile_widths.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

#if HWY_TARGET == HWY_AVX3_DL

// By a width of 0..8: as many ones from below.
alignas(16) inline constexpr std::uint8_t kOnes[16] = {0, 1, 3, 7, 15, 31, 63, 127, 255};

alignas(16) inline constexpr std::uint8_t kSecondWord[16] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8};

// A channel of a tile is one vector, of which the bytes that are kept move together.
template <std::uint32_t kChannels>
HWY_INLINE void WriteTile(const StripCode& code, std::uint32_t index, std::uint32_t drop, std::uint8_t* out) {
  const __m128i ones = _mm_load_si128(reinterpret_cast<const __m128i*>(kOnes));
  std::uint32_t present = 0;
  std::uint8_t* at = out + 1 + kChannels;
  for (std::uint32_t c = 0; c < kChannels; ++c) {
    const std::uint32_t here = code.widths[c][index] != 0 ? 1 : 0;
    present |= here << c;
    out[1 + c] = static_cast<std::uint8_t>(code.base[c][index]);
    const auto bits = static_cast<std::uint32_t>(code.width_bits[c][index]);
    std::memcpy(at, &bits, sizeof(bits));
    at += 3 * here;
  }
  out[0] = static_cast<std::uint8_t>(code.predictor[index] | (present << 2) | (drop << 6));
  for (std::uint32_t c = 0; c < kChannels; ++c) {
    const __m128i widths = _mm_loadu_si64(&code.widths[c][index]);
    const auto kept = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_shuffle_epi8(ones, widths)));
    _mm512_storeu_si512(at, _mm512_maskz_compress_epi8(kept, _mm512_load_si512(code.rows[c][index])));
    at += _mm_popcnt_u64(kept);
  }
}

// By a tile's mask of channels: which bytes of a word for each channel are those of its widths.
inline constexpr std::array<std::uint32_t, 16> kWidthBytes = [] {
  std::array<std::uint32_t, 16> masks{};
  for (std::uint32_t present = 0; present < masks.size(); ++present) {
    for (std::uint32_t c = 0; c < kMaxChannels; ++c) masks[present] |= (present >> c & 1) * (7U << (8 * c));
  }
  return masks;
}();

alignas(64) inline constexpr std::uint8_t kNothing[1 + kMaxChannels + kTileReadSlack] = {};

// What stands before the residuals of eight tiles. Vectors are put together in registers: a load of what several stores wrote
// would wait until they, and all stores to the frame before them, have left the core.
template <std::uint32_t kChannels>
class TileHeads {
 public:
  HWY_INLINE explicit TileHeads(const std::uint8_t* const (&tiles)[kStripTiles]) {
    HWY_UNROLL(4)
    for (std::uint32_t i = 0; i < kStripTiles / 2; ++i) {
      const __m256i low = WidthBytesOf(tiles, i);
      told_[i] = Transpose(V64{_mm512_inserti64x4(_mm512_castsi256_si512(low), WidthBytesOf(tiles, i + 4), 1)});
    }
  }

  // Masks of the bytes that are there: in its first four words those of tile i's channels, then those of tile i + 4.
  [[nodiscard]] HWY_INLINE V64 Kept(std::uint32_t i) const {
    alignas(16) static constexpr std::uint8_t kOnesOfTold[16] = {0, 1, 3, 7, 15, 31, 63, 255};
    return Words(hn::TableLookupBytes(hn::LoadDup128(D8(), kOnesOfTold), Bytes(told_[i])));
  }

  // The first eight bytes of each tile.
  [[nodiscard]] HWY_INLINE V64 words() const {
    const __m256i even = _mm256_inserti128_si256(_mm256_castsi128_si256(pairs_[0]), pairs_[2], 1);
    const __m256i odd = _mm256_inserti128_si256(_mm256_castsi128_si256(pairs_[1]), pairs_[3], 1);
    const __m512i order = _mm512_setr_epi64(0, 8, 2, 10, 1, 9, 3, 11);
    return V64{_mm512_permutex2var_epi64(_mm512_castsi256_si512(even), order, _mm512_castsi256_si512(odd))};
  }

  [[nodiscard]] HWY_INLINE std::uint32_t present_anywhere() const { return any_; }
  // Where the tile's residuals begin, for who reads them to step on.
  [[nodiscard]] HWY_INLINE const std::uint8_t*& residuals(std::uint32_t tile) { return residuals_[tile]; }

 private:
  HWY_INLINE __m256i WidthBytesOf(const std::uint8_t* const (&tiles)[kStripTiles], std::uint32_t i) {
    const std::uint8_t* const tile = tiles[i] != nullptr ? tiles[i] : kNothing;
    const __m128i head = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(tile));
    pairs_[i % 4] = i < 4 ? head : _mm_unpacklo_epi64(pairs_[i % 4], head);
    const std::uint32_t present = tile[0] >> 2 & 15U;
    any_ |= present;
    residuals_[i] = tile + 1 + kChannels + 3 * std::size_t{kBitCounts[present]};
    const auto* const widths = reinterpret_cast<const __m128i*>(tile + 1 + kChannels);
    return _mm256_maskz_expand_epi8(kWidthBytes[present], _mm256_castsi128_si256(_mm_loadu_si128(widths)));
  }

  V64 told_[kStripTiles / 2];
  __m128i pairs_[kStripTiles / 2];
  const std::uint8_t* residuals_[kStripTiles];
  std::uint32_t any_ = 0;
};

template <std::uint32_t kChannels>
HWY_INLINE void ReadTiles(const std::uint8_t* const (&tiles)[kStripTiles], StripCode& code) {
  const D8 d8;
  const D64 d64;
  TileHeads<kChannels> heads(tiles);
  alignas(64) std::uint64_t kept[kStripTiles / 2][2][kMaxChannels];
  for (std::uint32_t i = 0; i < kStripTiles / 2; ++i) hn::Store(heads.Kept(i), d64, kept[i][0]);
  const V64 head = heads.words();
  hn::Store(hn::And(head, hn::Set(d64, std::uint64_t{3})), d64, code.predictor);
  for (std::uint32_t c = 0; c < kChannels; ++c) {
    const V8 place = hn::Or(Bytes(hn::Set(d64, (1 + c) * kEveryByte)), hn::LoadDup128(d8, kSecondWord));
    hn::Store(Words(hn::TableLookupBytes(Bytes(head), place)), d64, code.base[c]);
    const std::uint64_t here = heads.present_anywhere() >> c & 1;
    hn::Store(hn::Set(d64, here), d64, code.widths[c]);
    if (here == 0) continue;
    for (std::uint32_t i = 0; i < kStripTiles; ++i) {
      const std::uint64_t mask = kept[i % 4][i / 4][c];
      _mm512_store_si512(code.rows[c][i], _mm512_maskz_expand_epi8(mask, _mm512_loadu_si512(heads.residuals(i))));
      heads.residuals(i) += _mm_popcnt_u64(mask);
    }
  }
}

template <std::uint32_t kChannels>
HWY_INLINE std::uint32_t UnsoundTiles(const std::uint8_t* const (&tiles)[kStripTiles],
                                      const std::uint64_t (&bytes)[kStripTiles]) {
  const D64 d64;
  const TileHeads<kChannels> heads(tiles);
  // Sums over the channels, in every word of a tile's four; each tile has its own one in the end.
  const auto sums = [&](std::uint32_t i) {
    V64 sum{_mm512_popcnt_epi64(heads.Kept(i).raw)};
    sum = hn::Add(sum, V64{_mm512_permutex_epi64(sum.raw, 0x4E)});
    return hn::Add(sum, V64{_mm512_permutex_epi64(sum.raw, 0xB1)});
  };
  const __m512i sum01 = _mm512_mask_blend_epi64(0x22, sums(0).raw, sums(1).raw);
  const __m512i sum23 = _mm512_mask_blend_epi64(0x88, sums(2).raw, sums(3).raw);
  const V64 residual_bytes{_mm512_mask_blend_epi64(0xCC, sum01, sum23)};
  const V64 head = heads.words();
  const V64 present = hn::And(hn::ShiftRight<2>(head), hn::Set(d64, std::uint64_t{15}));
  const V64 present_channels{_mm512_popcnt_epi64(present.raw)};
  const V64 head_bytes =
      hn::Add(hn::Set(d64, std::uint64_t{1 + kChannels}), hn::Add(present_channels, hn::Add(present_channels, present_channels)));
  const __m512i said = hn::Add(head_bytes, residual_bytes).raw;
  const std::uint32_t other_bytes = _mm512_cmpneq_epu64_mask(said, _mm512_loadu_si512(bytes));
  const std::uint32_t other_channels = _mm512_cmpge_epu64_mask(present.raw, _mm512_set1_epi64(1 << kChannels));
  const __m512i three = _mm512_set1_epi64(3);
  const std::uint32_t no_predictor = _mm512_cmpeq_epu64_mask(_mm512_and_si512(head.raw, three), three);
  const std::uint32_t there = _mm512_cmpneq_epu64_mask(_mm512_loadu_si512(tiles), _mm512_setzero_si512());
  return there & (other_bytes | other_channels | no_predictor);
}

void Write(const StripCode& code, std::uint32_t channels, std::uint32_t index, std::uint32_t drop, std::uint8_t* out) {
  if (channels == 3) return WriteTile<3>(code, index, drop, out);
  if (channels == 4) return WriteTile<4>(code, index, drop, out);
  WriteTile<1>(code, index, drop, out);
}

void Read(const std::uint8_t* const (&tiles)[kStripTiles], std::uint32_t channels, StripCode& code) {
  if (channels == 3) return ReadTiles<3>(tiles, code);
  if (channels == 4) return ReadTiles<4>(tiles, code);
  ReadTiles<1>(tiles, code);
}

std::uint32_t Unsound(const std::uint8_t* const (&tiles)[kStripTiles], const std::uint64_t (&bytes)[kStripTiles],
                      std::uint32_t channels) {
  if (channels == 3) return UnsoundTiles<3>(tiles, bytes);
  if (channels == 4) return UnsoundTiles<4>(tiles, bytes);
  return UnsoundTiles<1>(tiles, bytes);
}

#else

void Write(const StripCode& code, std::uint32_t channels, std::uint32_t index, std::uint32_t drop, std::uint8_t* out) {
  WriteTileBytes(code, channels, index, drop, out);
}

void Read(const std::uint8_t* const (&tiles)[kStripTiles], std::uint32_t channels, StripCode& code) {
  ReadTileBytes(tiles, channels, code);
}

std::uint32_t Unsound(const std::uint8_t* const (&tiles)[kStripTiles], const std::uint64_t (&bytes)[kStripTiles],
                      std::uint32_t channels) {
  return UnsoundTileBytes(tiles, bytes, channels);
}

#endif

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace tandem::codec::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
