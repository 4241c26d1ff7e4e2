// GFNI beside AVX2, a pair for which Highway has no target: Intel's processors since Alder Lake that lack AVX-512.
#pragma once

namespace tandem::color::simd {

// True if the processor multiplies matrices of bits and no test withholds it. Any thread.
[[nodiscard]] bool MayUseGfni();
// For tests and benchmarks that want AVX2 alone.
void WithholdGfni(bool withheld);

}  // namespace tandem::color::simd
