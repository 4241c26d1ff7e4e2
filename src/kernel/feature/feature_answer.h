// An answer to a feature query in one word, so that it is published and read without a lock.
#pragma once

#include <bit>
#include <cstdint>

#include <d3dkmddi.h>

namespace tandem::kernel {

using FeatureWord = std::uint32_t;

// In the reserved bits of DXGK_ISFEATUREENABLED_RESULT. A word without kAnswered says nothing.
inline constexpr FeatureWord kAnswered = 1U << 31;

[[nodiscard]] inline FeatureWord ToWord(DXGK_ISFEATUREENABLED_RESULT result) {
  result.Reserved = 0;
  return kAnswered | std::bit_cast<FeatureWord>(result);
}

[[nodiscard]] inline DXGK_ISFEATUREENABLED_RESULT ToResult(FeatureWord word) {
  return std::bit_cast<DXGK_ISFEATUREENABLED_RESULT>(word & ~kAnswered);
}

}  // namespace tandem::kernel
