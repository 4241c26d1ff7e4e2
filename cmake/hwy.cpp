// Highway's choice of an instruction set, as an object of ours. Its shared library measures the processor's timer when it is
// loaded: three milliseconds of each process. glibc knows what processor and system can do.
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <hwy/targets.h>
#include <sys/platform/x86.h>

namespace hwy {
namespace {

std::atomic<std::int64_t> only_in_test{0};

// The features that Highway's code for each target uses; the rest is what every x86-64 has.
std::int64_t Detect() {
  std::int64_t targets = HWY_EMU128 | HWY_SCALAR;
#ifdef HWY_SSE2
  targets |= HWY_SSE2;
#endif
  if (!CPU_FEATURE_ACTIVE(SSSE3)) return targets;
  targets |= HWY_SSSE3;
  if (!CPU_FEATURE_ACTIVE(SSE4_1) || !CPU_FEATURE_ACTIVE(SSE4_2)) return targets;
  if (!CPU_FEATURE_ACTIVE(PCLMULQDQ) || !CPU_FEATURE_ACTIVE(AES)) return targets;
  targets |= HWY_SSE4;
  if (!CPU_FEATURE_ACTIVE(AVX2) || !CPU_FEATURE_ACTIVE(FMA) || !CPU_FEATURE_ACTIVE(F16C)) return targets;
  if (!CPU_FEATURE_ACTIVE(LZCNT) || !CPU_FEATURE_ACTIVE(BMI1) || !CPU_FEATURE_ACTIVE(BMI2)) return targets;
  targets |= HWY_AVX2;
  if (!CPU_FEATURE_ACTIVE(AVX512F) || !CPU_FEATURE_ACTIVE(AVX512CD) || !CPU_FEATURE_ACTIVE(AVX512VL)) return targets;
  if (!CPU_FEATURE_ACTIVE(AVX512DQ) || !CPU_FEATURE_ACTIVE(AVX512BW)) return targets;
  targets |= HWY_AVX3;
  if (!CPU_FEATURE_ACTIVE(AVX512_VNNI) || !CPU_FEATURE_ACTIVE(VPCLMULQDQ) || !CPU_FEATURE_ACTIVE(AVX512_VBMI)) return targets;
  if (!CPU_FEATURE_ACTIVE(AVX512_VBMI2) || !CPU_FEATURE_ACTIVE(VAES) || !CPU_FEATURE_ACTIVE(GFNI)) return targets;
  if (!CPU_FEATURE_ACTIVE(AVX512_VPOPCNTDQ) || !CPU_FEATURE_ACTIVE(AVX512_BITALG)) return targets;
  return targets | HWY_AVX3_DL;
}

}  // namespace

std::int64_t SupportedTargets() {
  const std::int64_t only = only_in_test.load(std::memory_order_relaxed);
  return only != 0 ? only : Detect();
}

// As in Highway, the next call of a function chooses anew.
void SetSupportedTargetsForTest(std::int64_t targets) {
  only_in_test.store(targets, std::memory_order_relaxed);
  GetChosenTarget().DeInit();
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

// Checks of debug builds end here.
void Abort(const char* file, int line, const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  std::fprintf(stderr, "%s:%d: ", file, line);
  std::vfprintf(stderr, format, values);
  std::fputc('\n', stderr);
  va_end(values);
  std::abort();
}

}  // namespace hwy
