// What is asked of a slice before it is coded, and what is put before its rows afterwards. Internal to the module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "codec/tiles/tile_encoder.h"

namespace tandem::codec {

// Why the job cannot be done into a buffer of so many bytes.
[[nodiscard]] std::optional<Error> RefusalOf(const TileSliceJob& job, std::size_t capacity);

// Over `bytes` of a slice whose row table and rows are there.
void WriteSliceHeader(const TileSliceJob& job, std::uint64_t bytes, std::uint32_t lossy_tiles, std::span<std::byte> out);

}  // namespace tandem::codec
