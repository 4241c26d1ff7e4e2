// The choice of the instruction set, for functions that are handed out as pointers.
#pragma once

#include <hwy/targets.h>

namespace tandem::color::simd {

// Without it the first pointer that HWY_DYNAMIC_DISPATCH gives asks the processor again at every call.
inline void ChooseTarget() {
  hwy::ChosenTarget& chosen = hwy::GetChosenTarget();
  if (!chosen.IsInitialized()) chosen.Update(hwy::SupportedTargets());
}

}  // namespace tandem::color::simd
