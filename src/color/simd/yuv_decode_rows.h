// Converts YUV 4:2:0 rows to B8G8R8A8, for the chosen instruction set.
#pragma once

#include "color/simd/stores.h"
#include "color/yuv_fixed.h"

namespace tandem::color::simd {

// Equals DecodeRowPairReference. Prefetches what the next call reads.
using DecodeRowPairFunction = void (*)(const DecodeRowPair& rows, const TermWeights& weights);
[[nodiscard]] DecodeRowPairFunction DecodeRowPairFunctionFor(Stores stores);

// Equals DecodeRowReference.
using DecodeRowFunction = void (*)(const DecodeRow& row, const SumWeights& weights, ChromaFilter filter);
[[nodiscard]] DecodeRowFunction DecodeRowFunctionHere();

}  // namespace tandem::color::simd
