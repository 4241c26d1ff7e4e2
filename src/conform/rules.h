// The rules by subject; AllRules() strings them together.
#pragma once

#include "conform/rule.h"

namespace tandem::conform {

[[nodiscard]] std::span<const Rule> PresentRules();
[[nodiscard]] std::span<const Rule> CopyModeRules();
[[nodiscard]] std::span<const Rule> SubmissionRules();
[[nodiscard]] std::span<const Rule> EngineRules();
[[nodiscard]] std::span<const Rule> ScreenRules();
[[nodiscard]] std::span<const Rule> TargetRules();
[[nodiscard]] std::span<const Rule> VidPnRules();
[[nodiscard]] std::span<const Rule> PointerRules();
[[nodiscard]] std::span<const Rule> GammaRules();
[[nodiscard]] std::span<const Rule> HotPlugRules();
[[nodiscard]] std::span<const Rule> SystemDisplayRules();
[[nodiscard]] std::span<const Rule> LeakRules();
[[nodiscard]] std::span<const Rule> PaletteRules();
[[nodiscard]] std::span<const Rule> RotationRules();
[[nodiscard]] std::span<const Rule> FlipRules();
[[nodiscard]] std::span<const Rule> OverlayRules();
[[nodiscard]] std::span<const Rule> CrossAdapterFrameRules();
[[nodiscard]] std::span<const Rule> TierRules();
[[nodiscard]] std::span<const Rule> UserModeRules();
[[nodiscard]] std::span<const Rule> ShimRules();  // through a shim alone, so not among AllRules()
// kernel::kToleratedNtRules. They have no body, for each trial looks after them; not among AllRules().
[[nodiscard]] std::span<const Rule> ToleratedNtRules();
// A driver built with ThreadSanitizer breaks it in any trial. It has no body, and is not among AllRules().
[[nodiscard]] const Rule& RaceRule();
[[nodiscard]] std::span<const Rule> ScanOutRules();
[[nodiscard]] std::span<const Rule> Nv12Rules();
[[nodiscard]] std::span<const Rule> SharingRules();
[[nodiscard]] std::span<const Rule> StandardSurfaceRules();
[[nodiscard]] std::span<const Rule> LifeCycleRules();
[[nodiscard]] std::span<const Rule> RecoveryRules();
[[nodiscard]] std::span<const Rule> HostileRules();
[[nodiscard]] std::span<const Rule> MemoryRules();
[[nodiscard]] std::span<const Rule> BackingStoreRules();
[[nodiscard]] std::span<const Rule> FeatureRules();
[[nodiscard]] std::span<const Rule> WorkloadRules();
[[nodiscard]] std::span<const Rule> DisplayWorkloadRules();

}  // namespace tandem::conform
