// Pictures as YUV 4:2:0 whose planes are tile-coded: about half the size of 4:2:0 on rendered frames, at its quality. Tiles in
// which halved chroma would be visible, above all coloured text on a colour, may be sent lossless.
//
//   header      YuvTilesHeader
//   map         a bit for each tile of 8 x 8 pixels, row by row; 1: the tile is sent lossless
//   slices      Y, U and V (tile_format.h, kPlane8), then, if tiles are lossless, an atlas of these as kBgrx8, kAtlasTiles a
//               row; each slice begins at a multiple of 8 bytes
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "codec/tiles/tile_decoder.h"
#include "color/yuv.h"

namespace tandem::codec {

inline constexpr std::uint32_t kYuvTilesMagic = 0x32594454;  // "TDY2"
inline constexpr std::uint32_t kAtlasTiles = 64;

struct YuvTilesHeader {
  std::uint32_t magic;
  std::uint16_t width, height;  // pixels of the picture
  std::uint32_t bytes;          // all parts together
  std::uint32_t full_tiles;     // lossless tiles
  std::uint64_t frame;          // numbers grow; never 0
  std::uint32_t slice_bytes[4];
  std::uint64_t checksum;  // checksum of header and map; slices have their own
};
static_assert(sizeof(YuvTilesHeader) == 48);

// Chroma steps between two pixels that share a sample, in quarters of a level, 0..126.
struct FullChroma {
  std::uint32_t most_per_mille = 0;  // most lossless tiles, as a share of all tiles; 0: none; at most 1000
  std::uint8_t least_step = 20;      // smaller steps never make a tile lossless
};

struct YuvTilesJob {
  color::Bgra8<const std::byte> picture;  // 1..kMaxSurfaceExtent in each direction
  std::uint64_t frame_number = 0;         // not 0
  color::YuvCoding coding;
  FullChroma full_chroma;
};

struct YuvTilesSummary {
  std::uint64_t bytes = 0;
  std::uint32_t tiles = 0;
  std::uint32_t full_tiles = 0;
};

// Size of the output for every picture.
[[nodiscard]] std::uint64_t YuvTilesCapacity(std::uint32_t width, std::uint32_t height, FullChroma full_chroma);

// Size of the room for planes and lossless tiles, which both sides need. The number of lossless tiles is the most that
// `full_chroma` allows, or that of a checked header.
[[nodiscard]] std::uint64_t YuvTilesRoomBytes(std::uint32_t width, std::uint32_t height, FullChroma full_chroma);
[[nodiscard]] std::uint64_t YuvTilesRoomBytes(const YuvTilesHeader& header);

// `room`: YuvTilesRoomBytes(). kInvalidArgument: a size or number is out of range, or `out` is below the capacity.
[[nodiscard]] Result<YuvTilesSummary> EncodeYuvTiles(const YuvTilesJob& job, std::span<std::byte> out, std::span<std::byte> room);

struct CheckedYuvTiles {
  YuvTilesHeader header;
  std::span<const std::byte> map;
  std::array<CheckedTileSlice, 4> slices;  // the last one is valid with full_tiles only
};

// Checks all parts before anything is decoded. kInvalidArgument names the fault.
[[nodiscard]] Result<CheckedYuvTiles> CheckYuvTiles(std::span<const std::byte> bytes);

// `to` has the header's size, `room` YuvTilesRoomBytes(). Cannot fail.
void DecodeYuvTiles(const CheckedYuvTiles& tiles, const color::Bgra8<std::byte>& to, color::YuvCoding coding,
                    color::ChromaFilter filter, std::span<std::byte> room);

}  // namespace tandem::codec
