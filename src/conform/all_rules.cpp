#include <vector>

#include "conform/rules.h"

namespace tandem::conform {

std::span<const Rule> AllRules() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> all;
    for (const auto subject : {&StandardSurfaceRules,
                               &PresentRules,
                               &CopyModeRules,
                               &PaletteRules,
                               &RotationRules,
                               &FlipRules,
                               &ScreenRules,
                               &TargetRules,
                               &VidPnRules,
                               &PointerRules,
                               &GammaRules,
                               &HotPlugRules,
                               &SystemDisplayRules,
                               &TierRules,
                               &UserModeRules,
                               &ScanOutRules,
                               &Nv12Rules,
                               &OverlayRules,
                               &CrossAdapterFrameRules,
                               &SharingRules,
                               &SubmissionRules,
                               &EngineRules,
                               &MemoryRules,
                               &BackingStoreRules,
                               &FeatureRules,
                               &LifeCycleRules,
                               &LeakRules,
                               &RecoveryRules,
                               &HostileRules,
                               &WorkloadRules,
                               &DisplayWorkloadRules}) {
      const auto some = subject();
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }();
  return rules;
}

}  // namespace tandem::conform
