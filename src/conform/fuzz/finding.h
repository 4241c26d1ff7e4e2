// A fault of a driver that a script's run showed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conform/contained.h"
#include "conform/fuzz/run_notes.h"

namespace tandem::conform {

struct Finding {
  std::string name;                  // a rule's, "Crash", "Hang" or "Sanitizer"
  std::string sentence;              // what was seen
  std::vector<std::uint64_t> stack;  // offsets in the driver's shared object, innermost first
  std::string identity;              // equal for findings that are one
};

// Empty: the run ended, and no rule was broken. `outcome` is of the process that played the script.
[[nodiscard]] std::vector<Finding> FindingsOf(const ContainedOutcome& outcome, const RunNotes& notes);

}  // namespace tandem::conform
