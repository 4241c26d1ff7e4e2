// YUV 4:2:0 rows to B8G8R8A8, for the instruction set that is here.
#pragma once

#include "color/simd/stores.h"
#include "color/yuv_fixed.h"

namespace tandem::color::simd {

// As DecodeRowPairReference. Reads what the next call will read into the cache.
using DecodeRowPairFunction = void (*)(const DecodeRowPair& rows, const TermWeights& weights);
[[nodiscard]] DecodeRowPairFunction DecodeRowPairFunctionFor(Stores stores);

// As DecodeRowReference.
using DecodeRowFunction = void (*)(const DecodeRow& row, const SumWeights& weights, ChromaFilter filter);
[[nodiscard]] DecodeRowFunction DecodeRowFunctionHere();

}  // namespace tandem::color::simd
