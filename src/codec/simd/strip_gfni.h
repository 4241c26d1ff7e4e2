// Codes eight tiles at once, with AVX2 and GFNI.
#pragma once

#include "codec/tiles/tile_strip.h"

namespace tandem::codec::simd {

// Null if this build or this processor has none. Precondition: the processor has AVX2.
[[nodiscard]] const StripFunctions* StripFunctionsWithGfni();

}  // namespace tandem::codec::simd
