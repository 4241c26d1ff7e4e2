// The lossless tile coding: frames as slices of tile rows, each coded and decoded independently. tile_format.h describes the
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "codec/tiles/tile_strip.h"

namespace tandem::codec {

// width x height samples of BytesPerSample bytes, rows `pitch` bytes apart. Any alignment.
template <class Byte>
struct SampleSurface {
  Byte* samples = nullptr;
  std::uint64_t pitch = 0;
  std::uint32_t width = 0;   // 1..kMaxSurfaceExtent
  std::uint32_t height = 0;  // 1..kMaxSurfaceExtent
};

struct TileSliceJob {
  TileContent content = TileContent::kBgrx8;
  SampleSurface<const std::byte> frame;
  // The frame that the decoder still holds, of equal size; samples == nullptr: none, so every tile is sent.
  SampleSurface<const std::byte> reference;
  std::uint64_t frame_number = 0;  // not 0
  std::uint64_t reference_number = 0;
  // Tile rows of the slice.
  std::uint32_t first_row = 0;
  std::uint32_t row_count = 0;
  // Most bytes of the slice; 0: no limit. A slice that exceeds it drops low bits of tiles that become smaller by that. It drops
  // as few bits as possible, equal everywhere to within one step; at worst tiles become one colour. Tiles that the reference
  // has in equal or better quality are not sent, which leaves their bytes to others. A still picture thus becomes exact, if the
  // budget is one raw tile above the floor. A lossy slice is measured at up to three levels and written a second time.
  std::uint64_t budget_bytes = 0;
  // With a budget: TileBudgetRoomBytes() that no other thread uses during the call. The content has no meaning before or after.
  std::span<std::byte> budget_room;
};

struct TileSliceSummary {
  std::uint64_t bytes = 0;
  std::uint32_t tiles = 0;
  std::uint32_t unchanged_tiles = 0;  // not sent
  std::uint32_t still_tiles = 0;      // equal to the reference's, apart from dropped low bits
  std::uint32_t repeated_tiles = 0;
  std::uint32_t lossy_tiles = 0;  // decoded with other values than the original, sent or not
};

// Tile rows of a surface of `height` samples.
[[nodiscard]] std::uint32_t TileRows(std::uint32_t height);

// Size of a slice's buffer for every frame: 1.02 times the packed samples and a little.
[[nodiscard]] std::uint64_t TileSliceCapacity(TileContent content, std::uint32_t width, std::uint32_t row_count);

// Least budget of a slice.
[[nodiscard]] std::uint64_t TileSliceFloor(TileContent content, std::uint32_t width, std::uint32_t row_count);

// Size of TileSliceJob::budget_room.
[[nodiscard]] std::uint64_t TileBudgetRoomBytes(std::uint32_t width, std::uint32_t row_count);

// Encodes one slice to the front of `out`. Allocates nothing, keeps nothing. Several threads may encode slices of one frame at
// once. kInvalidArgument: a size, number or row is out of range, or `out` or the room is too short. kLimit: the budget is below
// the floor.
[[nodiscard]] Result<TileSliceSummary> EncodeTileSlice(const TileSliceJob& job, std::span<std::byte> out);

// For engines that write the rows without this encoder, such as shaders. Precondition: `out` contains the lossless row table
// and rows at their places. Adds the header and returns the slice's bytes. kInvalidArgument: as above, or the rows end behind
// `out`.
[[nodiscard]] Result<std::uint64_t> SealTileSlice(const TileSliceJob& job, std::span<std::byte> out);

}  // namespace tandem::codec
