// Writes slices that lose bits to a budget. Internal to the module.
#pragma once

#include <cstdint>

#include "codec/tiles/tile_encoder.h"

namespace tandem::codec {

// Rewrites a slice within its budget, except for the header. Precondition: `out` holds it lossless in `bytes`, which exceed the
// budget.
[[nodiscard]] TileSliceSummary WriteWithinBudget(const TileSliceJob& job, std::uint64_t bytes, std::uint8_t* out);

}  // namespace tandem::codec
