// For tests of code that is compiled once for each instruction set.
#pragma once

#include <cstdint>

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace tandem::color::simd {

// Runs `test` once for each instruction set that this machine has.
template <class Test>
void OnEachTarget(Test&& test) {
  for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    const std::int64_t target = targets & -targets;
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(hwy::TargetName(target));
    test();
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace tandem::color::simd
