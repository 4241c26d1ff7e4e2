// Selects the rules and adapter pairs to try for one driver.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conform/driver_under_test.h"
#include "conform/rule.h"

namespace tandem::conform {

struct Trial {
  const Rule* rule = nullptr;
  AdapterPair pair;
  std::uint32_t seed = kFirstSeed;         // the rig's seed
  [[nodiscard]] std::string name() const;  // "Flip.Order on soft", "CrossAdapter.OneCopy on soft to soft"
};

// `reference` shows outputs and is the other adapter in rules about two adapters. A driver without outputs meets no display
// rules.
[[nodiscard]] std::vector<Trial> PlanFor(const DriverUnderTest& driver, const DriverUnderTest& reference);

// The first trial: the driver loads and its adapter starts. If it fails, no other rule can be tried.
[[nodiscard]] Trial StartTrial(const DriverUnderTest& driver, const DriverUnderTest& reference);

// Runs the rule in this process on a fresh rig and returns its outcome.
[[nodiscard]] Outcome RunTrial(const Trial& trial);

}  // namespace tandem::conform
