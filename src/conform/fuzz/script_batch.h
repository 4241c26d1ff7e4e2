// Scripts that are played one behind the other on one started driver: what starts a driver costs more than a hundred calls.
#pragma once

#include <cstddef>
#include <vector>

#include "conform/fuzz/call_script.h"

namespace tandem::conform {

class ScriptBatch {
 public:
  explicit ScriptBatch(ScriptDevice device) : script_{device, {}} {}

  // Adds the script's first kMostPartSteps steps, and calls that close the devices that it opens.
  void Add(const CallScript& part);
  // False: another script may not fit into kMostSteps.
  [[nodiscard]] bool HasRoom() const { return script_.steps.size() <= kMostSteps - 2 * kMostPartSteps; }
  // All parts.
  [[nodiscard]] const CallScript& script() const { return script_; }
  [[nodiscard]] std::size_t parts() const { return begins_.size(); }
  // Parts of which a step was begun, where the first `steps` were.
  [[nodiscard]] std::size_t PartsBegun(std::size_t steps) const;
  // The part that a step belongs to, until that step. `step` counts all parts' steps from 0.
  [[nodiscard]] CallScript PartUntil(std::size_t step) const;

  static constexpr std::size_t kMostPartSteps = kMostSteps / 4;

 private:
  CallScript script_;
  std::vector<std::size_t> begins_;  // the parts' first steps
};

}  // namespace tandem::conform
