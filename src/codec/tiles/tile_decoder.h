// Decodes slices of tile_encoder.h. Slices come from outside, so each is checked as a whole before the first sample is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "codec/tiles/tile_encoder.h"
#include "codec/tiles/tile_format.h"

namespace tandem::codec {

// A slice that passed the check. Decoding it reads and writes only its own parts, even if its bytes have changed since. Such a
// change only makes the picture wrong.
struct CheckedTileSlice {
  TileSliceHeader header;
  std::span<const std::byte> bytes;
};

// Checks sizes, entries, tiles and the checksum. kInvalidArgument names the fault.
[[nodiscard]] Result<CheckedTileSlice> CheckTileSlice(std::span<const std::byte> bytes);

// Writes the samples of the slice's rows. `frame` has the header's size and content. `reference` contains the header's
// reference frame; it may be `frame` and is not read if the header names none. Cannot fail, allocates nothing. Several threads
// may decode slices of one frame at once.
void DecodeTileSlice(const CheckedTileSlice& slice, const SampleSurface<std::byte>& frame,
                     const SampleSurface<const std::byte>& reference);

}  // namespace tandem::codec
