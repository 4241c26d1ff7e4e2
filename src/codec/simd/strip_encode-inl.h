// Encodes samples straight to the bytes of tiles. Needs instructions that move many bytes by a mask and multiply by matrices of
// bits. Included once for each instruction set.
//
// A tile's channel is a vector with a row in each word. A strip takes one step after the other. Tiles thus do not wait for each
// other, and each tile's form is chosen before the first one is written.
#if defined(TANDEM_CODEC_SIMD_STRIP_ENCODE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_ENCODE_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_ENCODE_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_ENCODE_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstring>

#include "codec/simd/strip_few_colors-inl.h"
#include "codec/simd/strip_predict-inl.h"
#include "codec/simd/strip_tiles-inl.h"
#include "codec/tiles/tile_format.h"
#include "codec/tiles/tile_writer.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL

template <std::uint32_t kChannels>
HWY_INLINE void WritePredicted(const PredictedTiles<kChannels>& predicted, std::uint32_t i, std::uint32_t base,
                               std::uint8_t* out) {
  std::memcpy(out + 1, &base, sizeof(base));
  std::uint32_t head = predicted.predictors[i];
  std::uint8_t* at = out + 1 + kChannels;
  HWY_UNROLL(4)
  for (std::uint32_t c = 0; c < kChannels; ++c) {
    const std::uint32_t here = predicted.kept[c][i] != 0 ? 1 : 0;
    const auto width_bits = static_cast<std::uint32_t>(predicted.width_bits[c][i]);
    std::memcpy(at, &width_bits, sizeof(width_bits));
    head |= 4 * here << c;
    at += 3 * here;
  }
  out[0] = static_cast<std::uint8_t>(head);
  HWY_UNROLL(4)
  for (std::uint32_t c = 0; c < kChannels; ++c) {
    const std::uint64_t kept = predicted.kept[c][i];
    _mm512_storeu_si512(at, _mm512_maskz_compress_epi8(kept, _mm512_load_si512(predicted.rows[i][c])));
    at += _mm_popcnt_u64(kept);
  }
}

template <std::uint32_t kChannels>
HWY_INLINE void StoreRaw(const TileSamples<kChannels>& samples, std::uint8_t* out) {
  for (std::uint32_t c = 0; c < kChannels; ++c) _mm512_storeu_si512(out + std::size_t{kTileSamples} * c, samples.at[c]);
}

// Vector form of WriteTile in tile_writer.h.
template <std::uint32_t kChannels>
HWY_INLINE WrittenTile WriteShortest(const TileSamples<kChannels>& samples, const PredictedTiles<kChannels>& predicted,
                                     bool may_have_few_colors, std::uint32_t i, std::uint8_t* out) {
  const auto bytes = static_cast<std::uint32_t>(predicted.bytes[i]);
  if (may_have_few_colors) {
    const WrittenTile palette = WriteFewColors(samples, MostColors(bytes, kChannels), out);
    if (palette.bytes != 0) return palette;
  }
  if (IsBetterRaw(bytes, kChannels)) {
    StoreRaw(samples, out);
    return {kEntryRaw, kTileSamples * kChannels};
  }
  WritePredicted(predicted, i, BaseOf(samples), out);
  return {PredictedEntry(bytes, kChannels), bytes};
}

// Mask of the tiles in `which` that differ from the one of `which` before them. The first is compared with the run's last tile.
template <std::uint32_t kChannels>
HWY_INLINE std::uint32_t FindFresh(const TileSamples<kChannels> (&tiles)[kStripTiles], std::uint32_t which, TileRun& run) {
  const TileSamples<kChannels> before = LoadSamples<kChannels>(run.last);
  const TileSamples<kChannels>* last = &before;
  std::uint32_t fresh = 0;
  for (std::uint32_t left = which; left != 0; left &= left - 1) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
    fresh |= (AreSame(tiles[i], *last) ? 0U : 1U) << i;
    last = &tiles[i];
  }
  if (!run.any) fresh |= which & (0 - which);
  StoreSamples(*last, run.last);
  run.any = true;
  return fresh;
}

template <std::uint32_t kChannels>
HWY_INLINE void EncodeTiles(const TileSamples<kChannels> (&tiles)[kStripTiles], std::uint32_t which, std::uint8_t* entries,
                            TileRun& run) {
  const std::uint32_t fresh = FindFresh(tiles, which, run);
  run.repeated += static_cast<std::uint32_t>(std::popcount(which & ~fresh));
  for (std::uint32_t left = which & ~fresh; left != 0; left &= left - 1) entries[std::countr_zero(left)] = kEntryRepeated;
  if (fresh == 0) return;
  PredictedTiles<kChannels> predicted;
  Choose(tiles, fresh, predicted);
  Predict<Fills::kAll>(tiles, fresh, predicted);
  const std::uint32_t few_colors = MayHaveFewColors(tiles, fresh, predicted.bytes, predicted.steps);
  for (std::uint32_t left = fresh; left != 0; left &= left - 1) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
    const WrittenTile written = WriteShortest(tiles[i], predicted, (few_colors >> i & 1) != 0, i, run.at);
    entries[i] = written.entry;
    run.at += written.bytes;
  }
}

template <std::uint32_t kChannels>
HWY_INLINE void EncodePixels(const std::byte* samples, std::uint64_t pitch, std::uint64_t ahead, std::uint32_t which,
                             std::uint8_t* entries, TileRun& run) {
  TileSamples<kChannels> tiles[kStripTiles];
  for (std::uint32_t i = 0; i < kStripTiles; i += 2, samples += 64) {
    if (ahead != 0) {
      for (std::uint32_t y = 0; y < kTileExtent; ++y) hwy::Prefetch(samples + y * pitch + ahead);
    }
    if ((which >> i & 3) != 0) SplitPair(samples, pitch, tiles[i], tiles[i + 1]);
  }
  EncodeTiles(tiles, which, entries, run);
}

HWY_INLINE void EncodePlane(const std::byte* samples, std::uint64_t pitch, std::uint32_t which, std::uint8_t* entries,
                            TileRun& run) {
  TileSamples<1> tiles[kStripTiles];
  SplitPlane(samples, pitch, tiles);
  EncodeTiles(tiles, which, entries, run);
}

void Encode(const std::byte* samples, std::uint64_t pitch, std::uint64_t ahead, TileContent content, std::uint32_t which,
            std::uint8_t* entries, TileRun& run) {
  if (content == TileContent::kBgrx8) return EncodePixels<3>(samples, pitch, ahead, which, entries, run);
  if (content == TileContent::kBgra8) return EncodePixels<4>(samples, pitch, ahead, which, entries, run);
  EncodePlane(samples, pitch, which, entries, run);
}

#elif HWY_TARGET != HWY_SCALAR

constexpr std::nullptr_t Encode = nullptr;

#endif

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
