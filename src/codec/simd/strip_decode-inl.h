// Decodes the bytes of a strip's tiles to samples. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_DECODE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_DECODE_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_DECODE_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_DECODE_INL_H_
#endif

#include <algorithm>
#include <array>

#include "codec/simd/strip_code-inl.h"
#include "codec/simd/strip_pairs-inl.h"
#include "codec/simd/strip_palette-inl.h"
#include "codec/simd/strip_pixels-inl.h"
#include "codec/simd/strip_rows-inl.h"
#include "codec/tiles/tile_reader.h"
#include "codec/tiles/tile_strip_bytes.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// True for a predicted tile of one colour with all its bits.
HWY_INLINE bool HasOneColor(const CodedTile& tile) { return tile.entry == kEntryPredicted && tile.bytes[0] < 4; }

#endif

#if HWY_TARGET == HWY_AVX3_DL

HWY_INLINE void StoreLine(std::byte* to, __m512i line, bool past_caches) {
  if (past_caches) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), line);
  } else {
    _mm512_storeu_si512(to, line);
  }
}

// Places of two tiles' pixels in two vectors, for row k among the even or the odd ones. The first vector has, for each tile, 16
// bytes of blue and green: rows 0 and 1, or 2 and 3, among these. With three channels the second vector has eight bytes of red
// for each tile and row. With four channels it has red and alpha in the form of the first.
template <std::uint32_t kChannels>
inline constexpr auto kPixelPlaces = [] {
  std::array<std::array<std::uint8_t, 64>, 4> places{};
  for (std::uint32_t k = 0; k < 4; ++k) {
    for (std::uint32_t i = 0; i < 64; ++i) {
      const std::uint32_t tile = i / 32;
      const std::uint32_t x = i % 32 / 4;
      const std::uint32_t channel = i % 4;
      const std::uint32_t pair = 32 * tile + 16 * (k % 2) + 8 * (channel % 2) + x;
      const std::uint32_t red = kChannels == 4 ? pair : 16 * k + 8 * tile + x;
      places[k][i] = static_cast<std::uint8_t>(channel < 2 ? pair : 64 + red);
    }
  }
  return places;
}();

// Tile of each of the 16 pixels in a cache line.
alignas(64) inline constexpr std::int32_t kTileOfPixel[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};

// The bases of two tiles, repeated as eight pixels each.
template <std::uint32_t kChannels>
HWY_INLINE __m512i BasePixels(std::uint32_t a, std::uint32_t b) {
  const __m128i bases = _mm_insert_epi32(_mm_cvtsi32_si128(static_cast<int>(a)), static_cast<int>(b), 1);
  const __m128i own = _mm_shuffle_epi8(bases, _mm_setr_epi8(1, 0, 2, 3, 5, 4, 6, 7, -1, -1, -1, -1, -1, -1, -1, -1));
  const __m128i green = _mm_shuffle_epi8(bases, _mm_setr_epi8(0, -1, 0, -1, 4, -1, 4, -1, -1, -1, -1, -1, -1, -1, -1, -1));
  __m128i pixels = _mm_add_epi8(own, green);
  if (kChannels == 3) pixels = _mm_or_si128(pixels, _mm_set1_epi32(static_cast<int>(0xFF000000)));
  const __m512i second = _mm512_load_si512(kTileOfPixel);
  return _mm512_permutexvar_epi32(second, _mm512_castsi128_si512(pixels));
}

// Writes 16 pixels, a cache line, in each of eight rows.
template <std::uint32_t kChannels>
HWY_INLINE void WritePair(const TileRows<kChannels>& a, const TileRows<kChannels>& b, std::byte* to, std::uint64_t pitch,
                          bool past_caches) {
  __m512i sums = BasePixels<kChannels>(a.base, b.base);
  const __m512i firsts = _mm512_slli_epi32(_mm512_load_si512(kTileOfPixel), 3);
  const auto adds_to_first = static_cast<__mmask16>(a.adds_to_first | b.adds_to_first << 8);
  const __mmask64 channels = kChannels == 4 ? ~0ULL : 0x7777777777777777ULL;
  __m512i blue_green[2][2];  // even and odd rows, upper and lower ones
  __m512i red[2][2];
  HWY_UNROLL(2)
  for (std::uint32_t odd = 0; odd < 2; ++odd) {
    const auto pair = [odd](__m512i x, __m512i y) {
      return odd == 0 ? _mm512_unpacklo_epi64(x, y) : _mm512_unpackhi_epi64(x, y);
    };
    const auto both = [](__m512i x, __m512i y, __m512i(&halves)[2]) {
      halves[0] = _mm512_shuffle_i64x2(x, y, 0x44);
      halves[1] = _mm512_shuffle_i64x2(x, y, 0xEE);
    };
    both(pair(a.at[1], a.at[0]), pair(b.at[1], b.at[0]), blue_green[odd]);
    if constexpr (kChannels == 4) {
      both(pair(a.at[2], a.at[3]), pair(b.at[2], b.at[3]), red[odd]);
    } else {
      red[odd][0] = red[odd][1] = pair(a.at[2], b.at[2]);
    }
  }
  HWY_UNROLL(4)
  for (std::uint32_t k = 0; k < 4; ++k) {
    const __m512i places = _mm512_loadu_si512(kPixelPlaces<kChannels>[k].data());
    HWY_UNROLL(2)
    for (std::uint32_t odd = 0; odd < 2; ++odd, to += pitch) {
      const __m512i added = _mm512_maskz_permutex2var_epi8(channels, blue_green[odd][k / 2], places, red[odd][k / 2]);
      const __m512i first = _mm512_permutexvar_epi32(firsts, sums);
      sums = _mm512_add_epi8(sums, added);
      StoreLine(to, _mm512_mask_mov_epi32(sums, adds_to_first, _mm512_add_epi8(first, added)), past_caches);
    }
  }
}

template <std::uint32_t kChannels>
HWY_INLINE void DecodePixels(const CodedTile (&tiles)[kStripTiles], std::byte* samples, std::uint64_t pitch, bool past_caches) {
  for (std::uint32_t i = 0; i < kStripTiles; i += 2, samples += 64) {
    if (HasOneColor(tiles[i]) && HasOneColor(tiles[i + 1])) {
      const __m512i line = BasePixels<kChannels>(Base(tiles[i].bytes), Base(tiles[i + 1].bytes));
      for (std::uint32_t y = 0; y < kTileExtent; ++y) StoreLine(samples + y * pitch, line, past_caches);
      continue;
    }
    const TileRows<kChannels> first = ReadRows<kChannels>(tiles[i]);
    WritePair<kChannels>(first, ReadRows<kChannels>(tiles[i + 1]), samples, pitch, past_caches);
  }
}

// Number of the word that contains each byte.
alignas(64) inline constexpr auto kWordNumbers = [] {
  std::array<std::uint8_t, 64> numbers{};
  for (std::uint32_t i = 0; i < 64; ++i) numbers[i] = static_cast<std::uint8_t>(i / 8);
  return numbers;
}();
alignas(16) inline constexpr std::uint8_t kFirstsOfWords[16] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8};

HWY_INLINE void DecodePlane(const CodedTile (&tiles)[kStripTiles], std::byte* samples, std::uint64_t pitch, bool past_caches) {
  V64 rows[kTileExtent];
  std::uint64_t bases = 0;
  std::uint64_t adds_to_first = 0;
  for (std::uint32_t i = 0; i < kStripTiles; ++i) {
    const TileRows<1> tile = ReadRows<1>(tiles[i]);
    rows[i] = V64{tile.at[0]};
    bases |= std::uint64_t{tile.base & 0xFF} << (8 * i);
    adds_to_first |= std::uint64_t{tile.adds_to_first} << (8 * i);
  }
  TransposeWords(rows);
  __m512i row = _mm512_shuffle_epi8(_mm512_set1_epi64(static_cast<std::int64_t>(bases)), _mm512_load_si512(kWordNumbers.data()));
  const __m512i firsts = _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(kFirstsOfWords)));
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    if (y > 0) row = _mm512_mask_shuffle_epi8(row, adds_to_first, row, firsts);
    row = _mm512_add_epi8(row, rows[y].raw);
    StoreLine(samples + y * pitch, row, past_caches);
  }
}

void Decode(const CodedTile (&tiles)[kStripTiles], TileContent content, std::byte* samples, std::uint64_t pitch,
            bool past_caches) {
  if (content == TileContent::kBgrx8) return DecodePixels<3>(tiles, samples, pitch, past_caches);
  if (content == TileContent::kBgra8) return DecodePixels<4>(tiles, samples, pitch, past_caches);
  DecodePlane(tiles, samples, pitch, past_caches);
}

#elif HWY_TARGET != HWY_SCALAR

// A flat tile's samples, as many as eight bytes hold.
HWY_INLINE std::uint64_t FlatWord(const CodedTile& tile, TileContent content) {
  const std::uint8_t* const base = tile.bytes + 1;
  if (content == TileContent::kPlane8) return base[0] * kEveryByte;
  const std::uint64_t green = base[0];
  const std::uint64_t alpha = content == TileContent::kBgra8 ? base[3] : 255;
  return (((base[1] + green) & 0xFF) | green << 8 | ((base[2] + green) & 0xFF) << 16 | alpha << 24) * 0x100000001ULL;
}

// Writes tiles of one colour each, row by row: a line of the cache is whole before the next one begins.
template <std::size_t kSampleBytes>
HWY_INLINE void DecodeFlat(const CodedTile (&tiles)[kStripTiles], TileContent content, std::byte* samples, std::uint64_t pitch,
                           bool past_caches) {
  const D64 d64;
  constexpr std::size_t kVectors = kStripWidth * kSampleBytes / kVectorBytes;
  V64 row[kVectors];
  HWY_UNROLL(16)
  for (std::size_t v = 0; v < kVectors; ++v) {
    row[v] = hn::Set(d64, FlatWord(tiles[v * kVectorTiles / kSampleBytes], content));
    for (std::size_t word = 1; word < kVectorTiles; ++word) {
      if (word % kSampleBytes != 0) continue;
      const V64 next = hn::Set(d64, FlatWord(tiles[(v * kVectorTiles + word) / kSampleBytes], content));
      row[v] = hn::IfThenElse(hn::FirstN(d64, word), row[v], next);
    }
  }
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    auto* const to = reinterpret_cast<std::uint8_t*>(samples + y * pitch);
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < kVectors; ++v) StoreSamples(Bytes(row[v]), to + v * kVectorBytes, past_caches);
  }
}

void Decode(const CodedTile (&tiles)[kStripTiles], TileContent content, std::byte* samples, std::uint64_t pitch,
            bool past_caches) {
  if (std::all_of(std::begin(tiles), std::end(tiles), HasOneColor)) {
    if (content == TileContent::kPlane8) return DecodeFlat<1>(tiles, content, samples, pitch, past_caches);
    return DecodeFlat<4>(tiles, content, samples, pitch, past_caches);
  }
  StripCode code;
  StripPlanes planes;
  ReadTiles(tiles, ChannelsOf(content), code);
  Restore(code, ChannelsOf(content), planes);
  ReadOtherTiles(tiles, ChannelsOf(content), &ReadPalette, planes);
  Join(planes, content, samples, pitch, past_caches);
}

#endif

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
