// Compiled once for each instruction set by foreach_target.h.
#define HWY_WANT_AVX3_DL

#include "codec/simd/strip_functions.h"

#include "codec/simd/strip_gfni.h"
#include "color/simd/choose_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/simd/strip_functions.cpp"
#include "hwy/foreach_target.h"

#include "codec/simd/strip_table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::codec::simd::HWY_NAMESPACE {

const StripFunctions* Functions() {
#if HWY_TARGET == HWY_SCALAR
  return &ReferenceStripFunctions();
#else
#if HWY_TARGET == HWY_AVX2
  if (const StripFunctions* const with_gfni = StripFunctionsWithGfni()) return with_gfni;
#endif
  return &kFunctions;
#endif
}

}  // namespace tandem::codec::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::codec::simd {
HWY_EXPORT(Functions);

const StripFunctions& StripFunctionsHere() {
  color::simd::ChooseTarget();
  return *HWY_DYNAMIC_DISPATCH(Functions)();
}

}  // namespace tandem::codec::simd
#endif  // HWY_ONCE
