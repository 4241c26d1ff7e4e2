// Eight tiles side by side, the unit of SIMD: 64 x 8 samples of each channel, one 64-bit word for each tile and row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tandem::codec {

inline constexpr std::uint32_t kTileExtent = 8;  // samples of a tile in each direction
inline constexpr std::uint32_t kStripTiles = 8;
inline constexpr std::uint32_t kStripWidth = kTileExtent * kStripTiles;
inline constexpr std::uint32_t kTileSamples = kTileExtent * kTileExtent;
inline constexpr std::uint32_t kMaxChannels = 4;
inline constexpr std::uint32_t kMaxPaletteColors = 16;
inline constexpr std::uint32_t kTileReadSlack = 64;
inline constexpr std::uint32_t kTileReadBytes = 320;
inline constexpr std::uint32_t kTileWriteSlack = 320;
inline constexpr std::uint32_t kStripReadBytes = kStripTiles * 256 + 16;
inline constexpr std::uint32_t kLookAtEach = ~0U;
inline constexpr std::uint32_t kChromaStepDrop = 2;

// The samples of a surface; the value is the number of channels.
enum class TileContent : std::uint8_t {
  kPlane8 = 1,  // one byte: a plane of YUV
  kBgrx8 = 3,   // four bytes; the fourth has no meaning and comes back as 255
  kBgra8 = 4,   // four bytes
};

[[nodiscard]] constexpr std::uint32_t ChannelsOf(TileContent content) { return static_cast<std::uint32_t>(content); }
[[nodiscard]] constexpr std::uint32_t BytesPerSample(TileContent content) { return content == TileContent::kPlane8 ? 1 : 4; }

// Channel 0 is green (or the plane), 1 and 2 are blue and red minus green modulo 256, 3 is alpha.
struct StripPlanes {
  alignas(64) std::uint8_t at[kMaxChannels][kTileExtent][kStripWidth];
};

// The neighbours that predict a sample. A tile's first sample is its base; the first row always uses its left neighbours.
enum class Predictor : std::uint64_t {
  kLeft = 0,   // left; above in the first column
  kAbove = 1,  // above
  kPlane = 2,  // left + above - left above; above in the first column
};

// Residuals of the rows. A difference d modulo 256 becomes 2 d or -2 d - 1, small for small ones of either sign. The 8 x 8 bits
// of a row's eight residuals are transposed: byte p has bit p of each. A row whose residuals fit w bits thus needs its first w
// bytes only.
struct StripCode {
  alignas(64) std::uint64_t rows[kMaxChannels][kStripTiles][kTileExtent];
  alignas(64) std::uint64_t widths[kMaxChannels][kStripTiles];  // byte y: bytes of row y, 0..6 or 8
  alignas(64) std::uint64_t base[kMaxChannels][kStripTiles];    // first sample in every byte
  alignas(64) std::uint64_t predictor[kStripTiles];             // values of Predictor
  // Filled by prediction only:
  alignas(64) std::uint64_t width_bits[kMaxChannels][kStripTiles];  // bit y of byte i: bit i of row y's width, 7 meaning 8
  alignas(64) std::uint64_t bytes[kStripTiles];                     // bytes of the predicted tile
  alignas(64) std::uint64_t steps[kStripTiles];  // samples of rows 1, 3, 5 and 7 that differ from kLeft's prediction
};

// Bytes and entry of a tile, see tile_format.h. An entry without bytes stands for no tile.
struct CodedTile {
  const std::uint8_t* bytes = nullptr;
  std::uint8_t entry = 0;
};

// The colours of a tile in the order of their first samples, row by row.
struct TileColors {
  std::uint32_t values[kMaxPaletteColors];   // a byte for each channel
  std::uint64_t samples[kMaxPaletteColors];  // bit 8 y + x: sample (x, y) has this colour
};

// Output position for the tiles of a row.
struct TileRun {
  std::uint8_t* at = nullptr;  // end of the last tile's bytes
  bool any = false;            // true if there is a last tile with bytes
  std::uint32_t repeated = 0;
  alignas(64) std::uint8_t last[kMaxChannels][kTileSamples];  // last tile's samples, row by row, channels in the form of planes
};

// Form of a tile within a budget.
struct LeveledTile {
  std::uint8_t entry = 0;   // an entry without bytes: no tile
  std::uint8_t level = 0;   // kNothingDropped..kMean of tile_format.h
  std::uint32_t color = 0;  // kMean only: a byte for each channel
};

// The steps of coding for one instruction set.
struct StripFunctions {
  // Splits kStripWidth x 8 samples into planes, each first shifted right by `drop` bits, 0..7. Prefetches the samples `ahead`
  // bytes further; 0: none.
  void (*split)(const std::byte* samples, std::uint64_t pitch, std::uint64_t ahead, TileContent content, std::uint32_t drop,
                StripPlanes& planes);
  // Chooses the predictor of each tile by rows 1, 3, 5 and 7, and fills the code of all channels. `rows` is filled only for
  // channels that are not flat in every tile.
  void (*predict)(const StripPlanes& planes, std::uint32_t channels, StripCode& code);
  // Writes tile `index` as predicted, of a strip whose samples were shifted right by kDroppedBits[drop]. May write up to
  // kTileWriteSlack bytes; those behind the tile have no meaning.
  void (*write)(const StripCode& code, std::uint32_t channels, std::uint32_t index, std::uint32_t drop, std::uint8_t* out);
  // Finds the colours of tile `index` and returns their count; 0 if there are more than `most`, 1..kMaxPaletteColors.
  std::uint32_t (*colors)(const StripPlanes& planes, std::uint32_t channels, std::uint32_t index, std::uint32_t most,
                          TileColors& colors);
  // Bit t: the head of predicted tile t is invalid or does not match its bytes. Null tiles are skipped. May read kTileReadSlack
  // bytes behind each head.
  std::uint32_t (*unsound)(const std::uint8_t* const (&tiles)[kStripTiles], const std::uint64_t (&bytes)[kStripTiles],
                           std::uint32_t channels);
  // Decodes kStripWidth x 8 samples of eight tiles; samples without a tile are undefined. May read kTileReadBytes of each tile,
  // never more, for every content. `past_caches` applies if samples and pitch are multiples of 64; a fence must follow.
  void (*decode)(const CodedTile (&tiles)[kStripTiles], TileContent content, std::byte* samples, std::uint64_t pitch,
                 bool past_caches);
  // The greatest step of blue or red minus green, 0..126, between two pixels of one 2 x 2 block in each tile. Precondition:
  // planes were split with a drop of kChromaStepDrop.
  void (*chroma_steps)(const StripPlanes& planes, std::uint8_t (&steps)[kStripTiles]);
  // Bit t: tile t differs between both surfaces, in any of the `sample_bytes` (1 or 4) of a sample. Prefetches samples
  // `rows_ahead` rows further.
  std::uint32_t (*changed)(const std::byte* a, std::uint64_t a_pitch, const std::byte* b, std::uint64_t b_pitch,
                           std::uint32_t sample_bytes, std::uint64_t rows_ahead);
  // Does split, predict and WriteTile of tile_writer.h in one pass and finds repeated tiles. Writes the tiles in `which` (bit
  // t: tile t) behind the run's, and their entries. Slack as for `write`. Null if the single steps are as fast.
  void (*encode)(const std::byte* samples, std::uint64_t pitch, std::uint64_t ahead, TileContent content, std::uint32_t which,
                 std::uint8_t* entries, TileRun& run);
  // Sizes of the tiles in `which` as predicted, with each sample first shifted right by `drop` bits, 0..7. Returns bit t: tile
  // t then equals tile t - 1; bit 0 is undefined.
  std::uint32_t (*sizes)(const std::byte* samples, std::uint64_t pitch, TileContent content, std::uint32_t drop,
                         std::uint32_t which, std::uint64_t (&bytes)[kStripTiles]);
  // The bits in which each tile differs between both surfaces, or-ed over all bytes that have a meaning.
  void (*differing)(const std::byte* a, std::uint64_t a_pitch, const std::byte* b, std::uint64_t b_pitch, TileContent content,
                    std::uint8_t (&bits)[kStripTiles]);
  // Mean colour of each tile, a byte for each channel in the form of planes.
  void (*means)(const StripPlanes& planes, std::uint32_t channels, std::uint32_t (&colors)[kStripTiles]);
  // Writes the tiles that have bytes, without gaps, by their entries and levels. Slack as for `write`. Null if the single steps
  // are as fast.
  void (*encode_levels)(const std::byte* samples, std::uint64_t pitch, TileContent content,
                        const LeveledTile (&tiles)[kStripTiles], std::uint8_t* out);
  // Bytes of kStripTiles tiles without gaps, by their entries, if every predicted one is sound. kLookAtEach: one is not sound,
  // or `unsound` is as fast for these channels. May read kStripReadBytes from `tiles` on. Null if `unsound` is always as fast.
  std::uint32_t (*sound_bytes)(const std::uint8_t* entries, const std::uint8_t* tiles, std::uint32_t channels);
  // True if all samples of the strip are equal in the bytes that have a meaning. Prefetches the samples `ahead` bytes further
  // while it is so; 0: none.
  bool (*is_one_color)(const std::byte* samples, std::uint64_t pitch, std::uint64_t ahead, TileContent content);
};

// Scalar reference; the fast forms equal it in every bit.
[[nodiscard]] const StripFunctions& ReferenceStripFunctions();

// Moves bit 8 j + p to bit 8 p + j; its own inverse. (Hacker's Delight, section 7-3.)
[[nodiscard]] constexpr std::uint64_t TransposeBits(std::uint64_t x) {
  std::uint64_t t = (x ^ (x >> 7)) & 0x00AA00AA00AA00AAULL;
  x ^= t ^ (t << 7);
  t = (x ^ (x >> 14)) & 0x0000CCCC0000CCCCULL;
  x ^= t ^ (t << 14);
  t = (x ^ (x >> 28)) & 0x00000000F0F0F0F0ULL;
  return x ^ t ^ (t << 28);
}

// Bit t: tile t equals tile t - 1; bit 0 is 0.
[[nodiscard]] inline std::uint32_t SameAsBefore(const StripPlanes& planes, std::uint32_t channels) {
  std::uint32_t same = 0;
  for (std::uint32_t i = 1; i < kStripTiles; ++i) {
    bool differs = false;
    for (std::uint32_t c = 0; c < channels && !differs; ++c) {
      for (const auto& row : planes.at[c]) {
        const std::uint8_t* const tile = row + std::size_t{kTileExtent} * i;
        differs = differs || std::memcmp(tile, tile - kTileExtent, kTileExtent) != 0;
      }
    }
    same |= (differs ? 0U : 1U) << i;
  }
  return same;
}

inline constexpr std::uint64_t kEveryByte = 0x0101010101010101ULL;

}  // namespace tandem::codec
