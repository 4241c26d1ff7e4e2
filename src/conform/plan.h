// Which rules are tried on which adapters for one driver.
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
  std::uint32_t seed = kFirstSeed;         // Rig's
  [[nodiscard]] std::string name() const;  // "Flip.Order on soft", "CrossAdapter.OneCopy on soft to soft"
};

// `reference` shows outputs and is the other side of rules about two adapters. A driver that shows none meets no rule about
// displays.
[[nodiscard]] std::vector<Trial> PlanFor(const DriverUnderTest& driver, const DriverUnderTest& reference);

// Before any rule: does the driver load, and does its adapter start? Nothing else can be tried of one that does not.
[[nodiscard]] Trial StartTrial(const DriverUnderTest& driver, const DriverUnderTest& reference);

// In this process: a fresh rig, the rule, its outcome.
[[nodiscard]] Outcome RunTrial(const Trial& trial);

}  // namespace tandem::conform
