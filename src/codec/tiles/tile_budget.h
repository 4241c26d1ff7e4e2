// Slices that lose bits. Internal to the module.
#pragma once

#include <cstdint>

#include "codec/tiles/tile_encoder.h"

namespace tandem::codec {

// Writes a slice within its budget, all but the header, where `out` has it without loss in so many bytes, which are more.
[[nodiscard]] TileSliceSummary WriteWithinBudget(const TileSliceJob& job, std::uint64_t bytes, std::uint8_t* out);

}  // namespace tandem::codec
