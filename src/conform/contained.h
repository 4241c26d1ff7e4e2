// Runs a trial in its own process, so that a driver's crash or hang affects nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conform/rule.h"

namespace tandem::conform {

// The trial's process writes its outcome to this descriptor.
inline constexpr int kOutcomeFd = 3;

// A data race that ThreadSanitizer reports fails the trial, or is one of the outcome's tolerated rules.
enum class RacesAre : std::uint8_t { kBroken, kTolerated };

struct ContainedTrial {
  std::vector<std::string> argv;         // argv[0] is a path
  std::vector<std::string> environment;  // NAME=value; they replace this process's variables of the same names
  std::int64_t limit_ms = 0;
  std::string driver;                  // its file: races without its code are none; empty: any code's count
  RacesAre races = RacesAre::kBroken;  // those of the driver
};

struct ContainedOutcome {
  Outcome outcome;
  // Standard output and standard error together: the last kMostPrinted bytes.
  std::string printed;
  std::string races{};  // reports of tolerated races, which lay between
};

inline constexpr std::size_t kMostPrinted = std::size_t{1} << 20;

// Starts the process, which calls TellOutcome() once, and waits for its end, at most `limit_ms`. The rule fails if the process
// dies by a signal, ends without an outcome or with an error, or does not end. A sanitizer's report also fails the rule. The
// outcome's sentence says which. Threads: any.
[[nodiscard]] ContainedOutcome RunContained(const ContainedTrial& trial);

// Writes the outcome to kOutcomeFd. False when nobody reads it.
[[nodiscard]] bool TellOutcome(const Outcome& outcome);

}  // namespace tandem::conform
