// Selects the rules and adapter pairs to try for one driver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conform/driver_under_test.h"
#include "conform/rule.h"

namespace tandem::conform {

// The place of the shim between the runtime and two user-mode drivers.
enum class ShimForm : std::uint8_t {
  kLibrary,  // a library of its own, found by the driver's name in another folder
  kInside,   // inside the driver, which serves both adapters
  kHidden,   // over a render adapter that is tagged as no graphics adapter
};

struct Trial {
  const Rule* rule = nullptr;
  AdapterPair pair;
  std::uint32_t seed = kFirstSeed;         // the rig's seed
  std::optional<ShimForm> form{};          // nothing: without a shim
  std::string shim_library{};              // for kLibrary
  std::uint64_t failed_service = 0;        // its number in the order of calls, from 1; 0: none fails
  std::string failed_name{};               // the function's
  std::string known_left{};                // what the driver leaves behind in any case
  [[nodiscard]] std::string name() const;  // "Flip.Order on soft", "Shim.Open (shim: library) on soft to soft"
};

// `reference` shows outputs and is the other adapter in rules about two adapters. A driver without outputs meets no display
// rules, a display-only driver no others.
[[nodiscard]] std::vector<Trial> PlanFor(const DriverUnderTest& driver, const DriverUnderTest& reference);

// The first trial: the driver loads and its adapter starts. If it fails, no other rule can be tried.
[[nodiscard]] Trial StartTrial(const DriverUnderTest& driver, const DriverUnderTest& reference);

// Runs the rule in this process on a fresh rig and returns its outcome.
[[nodiscard]] Outcome RunTrial(const Trial& trial);

}  // namespace tandem::conform
