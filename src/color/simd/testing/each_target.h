// For tests of code that is compiled once for each instruction set.
#pragma once

#include <cstdint>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "color/simd/gfni.h"

namespace tandem::color::simd {

// Runs `test` once for each instruction set that this machine has; AVX2 with GFNI is one.
template <class Test>
void OnEachTarget(Test&& test) {
  for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    const std::int64_t target = targets & -targets;
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(hwy::TargetName(target));
    test();
    if (target != HWY_AVX2 || !MayUseGfni()) continue;
    SCOPED_TRACE("without GFNI");
    WithholdGfni(true);
    test();
    WithholdGfni(false);
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace tandem::color::simd
