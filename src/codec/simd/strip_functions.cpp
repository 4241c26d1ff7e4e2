// Compiled once for each instruction set by foreach_target.h.
#define HWY_WANT_AVX3_DL

#include "codec/simd/strip_functions.h"

#include "color/simd/choose_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/simd/strip_functions.cpp"
#include "hwy/foreach_target.h"

#include "codec/simd/strip_bytes-inl.h"
#include "codec/simd/strip_check-inl.h"
#include "codec/simd/strip_code-inl.h"
#include "codec/simd/strip_colors-inl.h"
#include "codec/simd/strip_decode-inl.h"
#include "codec/simd/strip_encode-inl.h"
#include "codec/simd/strip_levels-inl.h"
#include "codec/simd/strip_pixels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::codec::simd::HWY_NAMESPACE {

const StripFunctions* Functions() {
#if HWY_TARGET == HWY_SCALAR
  return &ReferenceStripFunctions();
#else
  static constexpr StripFunctions kFunctions = {Split,     Predict,     Write,        Colors,     Unsound,
                                                Decode,    ChromaSteps, Changed,      Encode,     Sizes,
                                                Differing, Means,       EncodeLevels, SoundBytes, IsOneColor};
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
