// Compiled for AVX2 and GFNI by foreach_target.h; what it compiles for the oldest processors is empty.
#define TANDEM_STRIP_WITH_GFNI
// Better targets have lower bits. The files below expect AVX2 as the first one.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | (HWY_AVX2 - 1))

#include "codec/simd/strip_gfni.h"

#include "color/simd/gfni.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/simd/strip_gfni.cpp"
#include "hwy/foreach_target.h"

#if HWY_TARGET == HWY_AVX2
#include "codec/simd/strip_table-inl.h"
#endif

#if HWY_ONCE
namespace tandem::codec::simd {

const StripFunctions* StripFunctionsWithGfni() {
#if (HWY_TARGETS & HWY_AVX2) != 0
  return color::simd::MayUseGfni() ? &N_AVX2_GFNI::kFunctions : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace tandem::codec::simd
#endif  // HWY_ONCE
