// Eight tiles side by side, the unit that SIMD works on: 64 x 8 samples of each channel, one 64-bit word for each tile and row.
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

// What a surface's samples are; the value is the number of channels.
enum class TileContent : std::uint8_t {
  kPlane8 = 1,  // one byte: a plane of YUV
  kBgrx8 = 3,   // four bytes, the fourth of no meaning; comes back as 255
  kBgra8 = 4,   // four bytes
};

[[nodiscard]] constexpr std::uint32_t ChannelsOf(TileContent content) { return static_cast<std::uint32_t>(content); }
[[nodiscard]] constexpr std::uint32_t BytesPerSample(TileContent content) { return content == TileContent::kPlane8 ? 1 : 4; }

// Channel 0 is green (or the plane), 1 and 2 are blue and red minus green modulo 256, 3 is alpha.
struct StripPlanes {
  alignas(64) std::uint8_t at[kMaxChannels][kTileExtent][kStripWidth];
};

// From what a sample is predicted; the first one of a tile is its base, the first row always has its left neighbours.
enum class Predictor : std::uint64_t {
  kLeft = 0,   // left; in the first column above
  kAbove = 1,  // above
  kPlane = 2,  // left + above - left above; in the first column above
};

// The rows' residuals: a difference d modulo 256 as 2 d or -2 d - 1, small for small ones of either sign, with the 8 x 8 bits of
// a row's eight residuals transposed: byte p has bit p of each. So of a row whose residuals fit w bits only the first w bytes are
// kept.
struct StripCode {
  alignas(64) std::uint64_t rows[kMaxChannels][kStripTiles][kTileExtent];
  alignas(64) std::uint64_t widths[kMaxChannels][kStripTiles];  // byte y: the bytes of row y, 0..6 or 8
  alignas(64) std::uint64_t base[kMaxChannels][kStripTiles];    // the first sample in every byte
  alignas(64) std::uint64_t predictor[kStripTiles];             // of Predictor's values
  // Only what prediction fills:
  alignas(64) std::uint64_t width_bits[kMaxChannels][kStripTiles];  // bit y of byte i: bit i of row y's width, 7 meaning 8
  alignas(64) std::uint64_t bytes[kStripTiles];                     // of the predicted tile
  alignas(
      64) std::uint64_t steps[kStripTiles];  // samples of rows 1, 3, 5 and 7 that differ from the one that kLeft predicts from
};

// A tile's bytes and its entry, of which tile_format.h says what they are; entries without bytes stand for nothing.
struct CodedTile {
  const std::uint8_t* bytes = nullptr;
  std::uint8_t entry = 0;
};

// The colours of a tile in the order in which its samples have them, row by row.
struct TileColors {
  std::uint32_t values[kMaxPaletteColors];   // a byte for each channel
  std::uint64_t samples[kMaxPaletteColors];  // bit 8 y + x: sample (x, y) has it
};

// Where the tiles of a row are written.
struct TileRun {
  std::uint8_t* at = nullptr;  // behind the last one's bytes
  bool any = false;            // whether there is a last one with bytes
  std::uint32_t repeated = 0;
  alignas(64) std::uint8_t last[kMaxChannels][kTileSamples];  // its samples, row by row, channels as planes have them
};

// What becomes of a tile within a budget.
struct LeveledTile {
  std::uint8_t entry = 0;   // one without bytes: nothing
  std::uint8_t level = 0;   // kNothingDropped..kMean of tile_format.h
  std::uint32_t color = 0;  // of kMean: a byte for each channel
};

// The steps of coding, as functions for one instruction set.
struct StripFunctions {
  // kStripWidth x 8 samples to planes, each shifted right by `drop` bits, 0..7, first. What lies `ahead` bytes further is read
  // into the cache, unless that is 0.
  void (*split)(const std::byte* samples, std::uint64_t pitch, std::uint64_t ahead, TileContent content, std::uint32_t drop,
                StripPlanes& planes);
  // Chooses the predictor of each tile, by rows 1, 3, 5 and 7, and fills the whole code of the content's channels; rows only of
  // channels that are not flat in every tile.
  void (*predict)(const StripPlanes& planes, std::uint32_t channels, StripCode& code);
  // Writes tile `index` as predicted, of a strip whose samples were shifted right by kDroppedBits[drop]. Up to kTileWriteSlack
  // bytes are written, whatever becomes of those behind the tile's own.
  void (*write)(const StripCode& code, std::uint32_t channels, std::uint32_t index, std::uint32_t drop, std::uint8_t* out);
  // Finds the colours of tile `index`. Answers how many; 0 when they are more than `most`, 1..kMaxPaletteColors.
  std::uint32_t (*colors)(const StripPlanes& planes, std::uint32_t channels, std::uint32_t index, std::uint32_t most,
                          TileColors& colors);
  // Bit t: predicted tile t of so many bytes is not what its own head says, or its head says what is not. Null ones are left out.
  // kTileReadSlack bytes behind each head may be read, whatever they are.
  std::uint32_t (*unsound)(const std::uint8_t* const (&tiles)[kStripTiles], const std::uint64_t (&bytes)[kStripTiles],
                           std::uint32_t channels);
  // kStripWidth x 8 samples of eight tiles; of those that stand for nothing whatever comes. kTileReadBytes of each may be read,
  // and no more whatever they are. Past the caches only where samples and pitch are multiples of 64; a fence must follow.
  void (*decode)(const CodedTile (&tiles)[kStripTiles], TileContent content, std::byte* samples, std::uint64_t pitch,
                 bool past_caches);
  // The greatest step of blue or red minus green in each tile between two pixels of the same 2 x 2, of planes that were split
  // with a drop of kChromaStepDrop: 0..126.
  void (*chroma_steps)(const StripPlanes& planes, std::uint8_t (&steps)[kStripTiles]);
  // Bit t: tile t of the two is not the same in all `sample_bytes` (1 or 4) of a sample. What lies `rows_ahead` rows further is
  // read into the cache.
  std::uint32_t (*changed)(const std::byte* a, std::uint64_t a_pitch, const std::byte* b, std::uint64_t b_pitch,
                           std::uint32_t sample_bytes, std::uint64_t rows_ahead);
  // What split, predict and WriteTile of tile_writer.h do, and repeated tiles are found: writes those tiles of `which` (bit t:
  // tile t) behind the run's, and their entries; kTileWriteSlack as with `write`. Null where this is no faster than the steps.
  void (*encode)(const std::byte* samples, std::uint64_t pitch, std::uint64_t ahead, TileContent content, std::uint32_t which,
                 std::uint8_t* entries, TileRun& run);
  // What those tiles of `which` take as predicted when each sample was shifted right by `drop` bits, 0..7, first. Answers, bit t:
  // tile t is then the same as tile t - 1; not bit 0.
  std::uint32_t (*sizes)(const std::byte* samples, std::uint64_t pitch, TileContent content, std::uint32_t drop,
                         std::uint32_t which, std::uint64_t (&bytes)[kStripTiles]);
  // The bits in which each tile of the two differs, or-ed over all bytes that have a meaning.
  void (*differing)(const std::byte* a, std::uint64_t a_pitch, const std::byte* b, std::uint64_t b_pitch, TileContent content,
                    std::uint8_t (&bits)[kStripTiles]);
  // The mean colour of each tile, a byte for each channel as planes have them.
  void (*means)(const StripPlanes& planes, std::uint32_t channels, std::uint32_t (&colors)[kStripTiles]);
  // Writes tiles that have bytes one behind the other, as their entries and levels say; kTileWriteSlack as with `write`. Null
  // where this is no faster than the steps.
  void (*encode_levels)(const std::byte* samples, std::uint64_t pitch, TileContent content,
                        const LeveledTile (&tiles)[kStripTiles], std::uint8_t* out);
  // The bytes of kStripTiles tiles that lie one behind the other, by their entries, when every predicted one is sound;
  // kLookAtEach when one is not, or this has nothing that is better than `unsound` for so many channels. kStripReadBytes from
  // `tiles` on may be read. Null where it never has.
  std::uint32_t (*sound_bytes)(const std::uint8_t* entries, const std::uint8_t* tiles, std::uint32_t channels);
};

// The scalar form that the fast one is tested against: equal in every bit.
[[nodiscard]] const StripFunctions& ReferenceStripFunctions();

// Bit 8 j + p to bit 8 p + j; its own inverse. (Hacker's Delight, section 7-3.)
[[nodiscard]] constexpr std::uint64_t TransposeBits(std::uint64_t x) {
  std::uint64_t t = (x ^ (x >> 7)) & 0x00AA00AA00AA00AAULL;
  x ^= t ^ (t << 7);
  t = (x ^ (x >> 14)) & 0x0000CCCC0000CCCCULL;
  x ^= t ^ (t << 14);
  t = (x ^ (x >> 28)) & 0x00000000F0F0F0F0ULL;
  return x ^ t ^ (t << 28);
}

// Bit t: tile t is the same as tile t - 1; not bit 0.
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
