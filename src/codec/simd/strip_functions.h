// Coding of eight tiles at once, for the instruction set that is here.
#pragma once

#include "codec/tiles/tile_strip.h"

namespace tandem::codec::simd {

[[nodiscard]] const StripFunctions& StripFunctionsHere();

}  // namespace tandem::codec::simd
