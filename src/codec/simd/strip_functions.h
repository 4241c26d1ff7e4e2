// Codes eight tiles at once, for the chosen instruction set.
#pragma once

#include "codec/tiles/tile_strip.h"

namespace tandem::codec::simd {

[[nodiscard]] const StripFunctions& StripFunctionsHere();

}  // namespace tandem::codec::simd
