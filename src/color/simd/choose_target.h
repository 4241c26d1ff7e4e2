// Chooses the instruction set for functions whose pointers are handed out.
#pragma once

#include <hwy/targets.h>

namespace tandem::color::simd {

// Without this call the first pointer of HWY_DYNAMIC_DISPATCH queries the processor at every call.
inline void ChooseTarget() {
  hwy::ChosenTarget& chosen = hwy::GetChosenTarget();
  if (!chosen.IsInitialized()) chosen.Update(hwy::SupportedTargets());
}

}  // namespace tandem::color::simd
