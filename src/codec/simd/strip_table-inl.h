// The steps of coding as one table. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_TABLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_TABLE_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_TABLE_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_TABLE_INL_H_
#endif

#include "codec/simd/strip_bytes-inl.h"
#include "codec/simd/strip_check-inl.h"
#include "codec/simd/strip_code-inl.h"
#include "codec/simd/strip_colors-inl.h"
#include "codec/simd/strip_decode-inl.h"
#include "codec/simd/strip_encode-inl.h"
#include "codec/simd/strip_levels-inl.h"
#include "codec/simd/strip_pixels-inl.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

inline constexpr StripFunctions kFunctions = {Split,  Predict, Write,     Colors, Unsound,      Decode,     ChromaSteps, Changed,
                                              Encode, Sizes,   Differing, Means,  EncodeLevels, SoundBytes, IsOneColor};

#endif

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
