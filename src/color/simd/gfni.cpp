#include "color/simd/gfni.h"

#include <atomic>

namespace tandem::color::simd {
namespace {

constinit std::atomic<bool> gfni_withheld{false};

}  // namespace

bool MayUseGfni() {
#if defined(__x86_64__) || defined(__i386__)
  return !gfni_withheld.load(std::memory_order_relaxed) && __builtin_cpu_supports("gfni");
#else
  return false;
#endif
}

void WithholdGfni(bool withheld) { gfni_withheld.store(withheld, std::memory_order_relaxed); }

}  // namespace tandem::color::simd
