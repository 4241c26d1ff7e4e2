// Undoes tile_encoder.h. A slice comes from outside: it is checked as a whole before the first sample is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "codec/tiles/tile_encoder.h"
#include "codec/tiles/tile_format.h"

namespace tandem::codec {

// A slice that was sound. Decoding it reads and writes only what belongs to it, even when its bytes have changed since: then the
// picture is wrong, nothing else.
struct CheckedTileSlice {
  TileSliceHeader header;
  std::span<const std::byte> bytes;
};

// Checks sizes, entries, tiles and the checksum. kInvalidArgument with what is wrong.
[[nodiscard]] Result<CheckedTileSlice> CheckTileSlice(std::span<const std::byte> bytes);

// Writes the samples of the slice's rows. `frame` has the header's size and content; `reference` the samples of the header's
// reference frame: it may be `frame` itself, and is not read when the header names none. Cannot fail, allocates nothing; slices
// of one frame may be decoded on several threads at once.
void DecodeTileSlice(const CheckedTileSlice& slice, const SampleSurface<std::byte>& frame,
                     const SampleSurface<const std::byte>& reference);

}  // namespace tandem::codec
