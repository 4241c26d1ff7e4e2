// Converts two rows of pixels to two rows of luma and one of chroma, for the chosen instruction set.
#pragma once

#include "color/simd/stores.h"
#include "color/yuv_fixed.h"

namespace tandem::color::simd {

// Equals EncodeRowPairReference.
using EncodeRowPairFunction = void (*)(const EncodeRowPair& rows, const EncodeWeights& weights);

[[nodiscard]] EncodeRowPairFunction EncodeRowPairFunctionFor(Stores stores);

}  // namespace tandem::color::simd
