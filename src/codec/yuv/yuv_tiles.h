// Pictures as YUV 4:2:0 whose planes are tile-coded: about twice as small as 4:2:0 alone on rendered frames, at its quality.
// Tiles in which halved chroma would be seen, coloured text on a colour above all, may come along without loss.
//
//   header                     YuvTilesHeader
//   map                        a bit for each tile of 8 x 8 pixels, row by row: it comes without loss
//   slices                     of Y, U and V (tile_format.h, kPlane8), then, if there are such tiles, one of kBgrx8 in which they
//   stand
//                              one after the other, kAtlasTiles a row; each begins at a multiple of 8 bytes
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
  std::uint16_t width, height;  // of the picture
  std::uint32_t bytes;          // of all of it
  std::uint32_t full_tiles;     // that come without loss
  std::uint64_t frame;          // numbers grow; never 0
  std::uint32_t slice_bytes[4];
  std::uint64_t checksum;  // of header and map; slices have their own
};
static_assert(sizeof(YuvTilesHeader) == 48);

// Chroma steps between two pixels that share a sample are counted in quarters of a level, 0..126.
struct FullChroma {
  std::uint32_t most_per_mille = 0;  // of all tiles that may come without loss; 0: none, 1000 at the most
  std::uint8_t least_step = 20;      // smaller ones never make a tile come without loss
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

// Bytes that the output must have, whatever the picture.
[[nodiscard]] std::uint64_t YuvTilesCapacity(std::uint32_t width, std::uint32_t height, FullChroma full_chroma);

// Bytes of the planes and of the tiles that come without loss, which both sides need beside the picture. With as many such tiles
// as `full_chroma` allows, or as the header of a checked picture says.
[[nodiscard]] std::uint64_t YuvTilesRoomBytes(std::uint32_t width, std::uint32_t height, FullChroma full_chroma);
[[nodiscard]] std::uint64_t YuvTilesRoomBytes(const YuvTilesHeader& header);

// `room` has YuvTilesRoomBytes(). kInvalidArgument: a size or number out of range, or `out` below the capacity.
[[nodiscard]] Result<YuvTilesSummary> EncodeYuvTiles(const YuvTilesJob& job, std::span<std::byte> out, std::span<std::byte> room);

struct CheckedYuvTiles {
  YuvTilesHeader header;
  std::span<const std::byte> map;
  std::array<CheckedTileSlice, 4> slices;  // the last one is only there with full_tiles
};

// Checks all of it before anything is decoded. kInvalidArgument with what is wrong.
[[nodiscard]] Result<CheckedYuvTiles> CheckYuvTiles(std::span<const std::byte> bytes);

// `to` has the header's size, `room` YuvTilesRoomBytes(). Cannot fail.
void DecodeYuvTiles(const CheckedYuvTiles& tiles, const color::Bgra8<std::byte>& to, color::YuvCoding coding,
                    color::ChromaFilter filter, std::span<std::byte> room);

}  // namespace tandem::codec
