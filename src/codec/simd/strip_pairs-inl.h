// Moves the rows of predicted tiles two at a time, without instructions that move many bytes. Included once for each
// instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_PAIRS_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_PAIRS_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_PAIRS_INL_H_
#endif

#include <array>
#include <cstddef>
#include <cstring>

#include "codec/simd/strip_words-inl.h"
#include "codec/tiles/tile_format.h"
#include "codec/tiles/tile_strip_bytes.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_AVX3_DL

inline constexpr std::uint32_t kWidthCount = 9;  // 0..8
using PairPlaces = std::array<std::array<std::uint8_t, 16>, kWidthCount * kWidthCount>;

// Indexed by first + kWidthCount * second width: places of both rows' bytes without gaps, in two words.
alignas(16) inline constexpr PairPlaces kPackPlaces = [] {
  PairPlaces places{};
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    const std::uint32_t first = i % kWidthCount;
    for (std::uint32_t at = 0; at < 16; ++at) places[i][at] = static_cast<std::uint8_t>(at < first ? at : (8 + at - first) % 16);
  }
  return places;
}();

// Places of the words in these bytes, by the same index; 0x80 gives 0.
alignas(16) inline constexpr PairPlaces kUnpackPlaces = [] {
  PairPlaces places{};
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    const std::uint32_t widths[2] = {i % kWidthCount, i / kWidthCount};
    for (std::uint32_t at = 0; at < 16; ++at) {
      const bool is_there = at % 8 < widths[at / 8];
      places[i][at] = is_there ? static_cast<std::uint8_t>(at % 8 + at / 8 * widths[0]) : std::uint8_t{0x80};
    }
  }
  return places;
}();

using Pair = hn::CappedTag<std::uint8_t, 16>;

// A tile's widths by pairs of rows, 16 bits for each pair.
class PairWidths {
 public:
  explicit PairWidths(std::uint64_t widths) {
    const std::uint64_t first = widths & kFirsts;
    const std::uint64_t second = widths >> 8 & kFirsts;
    bytes_ = first + second;
    index_ = first + kWidthCount * second;
  }
  [[nodiscard]] std::size_t bytes(std::uint32_t pair) const { return bytes_ >> (16 * pair) & 0xFF; }
  [[nodiscard]] std::size_t index(std::uint32_t pair) const { return index_ >> (16 * pair) & 0xFF; }

 private:
  static constexpr std::uint64_t kFirsts = 0x00FF00FF00FF00FFULL;
  std::uint64_t bytes_;
  std::uint64_t index_;
};

// Writes the rows without gaps and returns their end. May write 16 bytes behind it.
HWY_INLINE std::uint8_t* PackRows(const std::uint64_t (&rows)[kTileExtent], std::uint64_t widths, std::uint8_t* at) {
  const Pair d;
  const PairWidths pairs(widths);
  HWY_UNROLL(4)
  for (std::uint32_t pair = 0; pair < kTileExtent / 2; ++pair) {
    const auto both = hn::Load(d, reinterpret_cast<const std::uint8_t*>(rows + 2 * pair));
    hn::StoreU(hn::TableLookupBytes(both, hn::Load(d, kPackPlaces[pairs.index(pair)].data())), d, at);
    at += pairs.bytes(pair);
  }
  return at;
}

// Reads what PackRows wrote and returns its end. May read 16 bytes behind it.
HWY_INLINE const std::uint8_t* UnpackRows(const std::uint8_t* at, std::uint64_t widths, std::uint64_t (&rows)[kTileExtent]) {
  const Pair d;
  const PairWidths pairs(widths);
  HWY_UNROLL(4)
  for (std::uint32_t pair = 0; pair < kTileExtent / 2; ++pair) {
    const auto both = hn::TableLookupBytesOr0(hn::LoadU(d, at), hn::Load(d, kUnpackPlaces[pairs.index(pair)].data()));
    hn::Store(both, d, reinterpret_cast<std::uint8_t*>(rows + 2 * pair));
    at += pairs.bytes(pair);
  }
  return at;
}

template <std::uint32_t kChannels>
HWY_INLINE void WriteTile(const StripCode& code, std::uint32_t index, std::uint32_t drop, std::uint8_t* out) {
  std::uint8_t* at = WriteTileHead(code, kChannels, index, drop, out);
  HWY_UNROLL(4)
  for (std::uint32_t c = 0; c < kChannels; ++c) {
    const std::uint64_t widths = code.widths[c][index];
    if (widths != 0) at = PackRows(code.rows[c][index], widths, at);
  }
}

template <std::uint32_t kChannels>
HWY_INLINE void ReadTiles(const CodedTile (&tiles)[kStripTiles], StripCode& code) {
  for (std::uint32_t i = 0; i < kStripTiles; ++i) {
    const std::uint8_t* at = ReadTileHead(tiles[i].entry >= kEntryPredicted ? tiles[i].bytes : kZeroTile, kChannels, i, code);
    HWY_UNROLL(4)
    for (std::uint32_t c = 0; c < kChannels; ++c) {
      if (code.widths[c][i] == 0) {
        std::memset(code.rows[c][i], 0, sizeof(code.rows[c][i]));
      } else {
        at = UnpackRows(at, code.widths[c][i], code.rows[c][i]);
      }
    }
  }
}

HWY_INLINE void ReadTiles(const CodedTile (&tiles)[kStripTiles], std::uint32_t channels, StripCode& code) {
  if (channels == 3) return ReadTiles<3>(tiles, code);
  if (channels == 4) return ReadTiles<4>(tiles, code);
  ReadTiles<1>(tiles, code);
}

#endif

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
