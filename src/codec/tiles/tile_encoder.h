// The lossless tile coding: frames as slices of tile rows, each coded and decoded by itself. tile_format.h says what it is made
// of.
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
  std::uint32_t height = 0;  // the same
};

struct TileSliceJob {
  TileContent content = TileContent::kBgrx8;
  SampleSurface<const std::byte> frame;
  // The frame that the other side still holds, of the same size, or samples == nullptr: every tile is sent.
  SampleSurface<const std::byte> reference;
  std::uint64_t frame_number = 0;  // not 0
  std::uint64_t reference_number = 0;
  // Tile rows of the slice.
  std::uint32_t first_row = 0;
  std::uint32_t row_count = 0;
  // The most bytes that the slice may have; 0: whatever it takes. Where it does not fit, tiles that get smaller by it lose low
  // bits, as few as possible and the same everywhere to within one step; at the worst they become one colour. Tiles that the
  // reference has no worse are not sent, and others have their bytes: a picture that stands still becomes exact, given a budget
  // of one raw tile above the floor. Where bits are lost, tiles are measured at up to three levels and written a second time.
  std::uint64_t budget_bytes = 0;
  // With a budget: TileBudgetRoomBytes() that nothing else uses meanwhile. What they are, before and after, has no meaning.
  std::span<std::byte> budget_room;
};

struct TileSliceSummary {
  std::uint64_t bytes = 0;
  std::uint32_t tiles = 0;
  std::uint32_t unchanged_tiles = 0;  // that are not sent
  std::uint32_t still_tiles = 0;      // that the reference has, but for low bits where these are lost
  std::uint32_t repeated_tiles = 0;
  std::uint32_t lossy_tiles = 0;  // that come out other than they are, sent or not
};

// Tile rows of a surface that is `height` samples high.
[[nodiscard]] std::uint32_t TileRows(std::uint32_t height);

// Bytes that a slice's buffer must have, whatever the frame: 1.02 times the packed samples and a little.
[[nodiscard]] std::uint64_t TileSliceCapacity(TileContent content, std::uint32_t width, std::uint32_t row_count);

// Bytes below which no budget can go.
[[nodiscard]] std::uint64_t TileSliceFloor(TileContent content, std::uint32_t width, std::uint32_t row_count);

// Bytes of a slice's TileSliceJob::budget_room.
[[nodiscard]] std::uint64_t TileBudgetRoomBytes(std::uint32_t width, std::uint32_t row_count);

// Codes one slice to the front of `out`. Allocates nothing, keeps nothing; slices of one frame may be coded on several threads at
// once. kInvalidArgument: a size, number or row out of range, or `out` or the room too short. kLimit: the budget is below the
// floor.
[[nodiscard]] Result<TileSliceSummary> EncodeTileSlice(const TileSliceJob& job, std::span<std::byte> out);

// For who writes rows by other means, a shader above all: `out` has the row table and the rows at their places, without loss; the
// header is put before them. Answers the slice's bytes. kInvalidArgument: as above, or the rows end behind `out`.
[[nodiscard]] Result<std::uint64_t> SealTileSlice(const TileSliceJob& job, std::span<std::byte> out);

}  // namespace tandem::codec
