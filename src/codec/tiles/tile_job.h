// Checks the request for a slice, and writes the header after its rows. Internal to the module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "codec/tiles/tile_encoder.h"

namespace tandem::codec {

// The reason why the job cannot be encoded into `capacity` bytes; empty if it can.
[[nodiscard]] std::optional<Error> RefusalOf(const TileSliceJob& job, std::size_t capacity);

// Writes the header of a slice of `bytes` whose row table and rows are written.
void WriteSliceHeader(const TileSliceJob& job, std::uint64_t bytes, std::uint32_t lossy_tiles, std::span<std::byte> out);

}  // namespace tandem::codec
