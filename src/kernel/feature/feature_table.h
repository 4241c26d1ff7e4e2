// Features that this kernel knows, and whether it offers them to a driver.
#pragma once

#include <d3dkmddi.h>

namespace tandem::kernel {

struct Feature {
  DXGK_FEATURE_ID id;
  const char* name;  // without DXGK_FEATURE_
  bool offered;      // the kernel's own half is there
};

// Null for an id of another category, and for one that is reserved. Static storage.
[[nodiscard]] const Feature* FindFeature(DXGK_FEATURE_ID id);

// Whether a feature is on for a driver that declared `driver_support_state` (DXGK_FEATURE_SUPPORT_*): STABLE and ALWAYS_ON follow
// the kernel's offer, EXPERIMENTAL and ALWAYS_OFF stay off.
[[nodiscard]] bool FeatureStarts(const Feature& feature, UINT driver_support_state);

}  // namespace tandem::kernel
