// YUV 4:2:0 rows to B8G8R8A8, for the instruction set that is here.
#pragma once

#include "color/yuv_fixed.h"

namespace tandem::color::simd {

// As DecodeRowPairReference. Reads what the next call will read into the cache.
using DecodeRowPairFunction = void (*)(const DecodeRowPair& rows, const TermWeights& weights);

// kStreamed writes past the caches where rows are aligned for it; FenceStreams() must follow before another thread reads.
enum class Stores : std::uint8_t { kCached, kStreamed };
[[nodiscard]] DecodeRowPairFunction DecodeRowPairFunctionFor(Stores stores);
void FenceStreams();

// As DecodeRowReference.
using DecodeRowFunction = void (*)(const DecodeRow& row, const SumWeights& weights, ChromaFilter filter);
[[nodiscard]] DecodeRowFunction DecodeRowFunctionHere();

}  // namespace tandem::color::simd
