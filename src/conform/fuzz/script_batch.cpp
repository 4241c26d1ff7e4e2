#include "conform/fuzz/script_batch.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>

namespace tandem::conform {

void ScriptBatch::Add(const CallScript& part) {
  begins_.push_back(script_.steps.size());
  const auto steps = std::span(part.steps).first(std::min(part.steps.size(), kMostPartSteps));
  script_.steps.insert(script_.steps.end(), steps.begin(), steps.end());
  std::set<std::uint64_t> opened;
  for (const CallStep& step : steps) {
    if (step.call == Call::kDevice) opened.insert(step.numbers[0]);
  }
  for (const std::uint64_t device : opened) script_.steps.push_back({Call::kCloseDevice, {device}, {}});
}

std::size_t ScriptBatch::PartsBegun(std::size_t steps) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(begins_, steps) - begins_.begin());
}

CallScript ScriptBatch::PartUntil(std::size_t step) const {
  const std::size_t begin = *std::prev(std::ranges::upper_bound(begins_, step));
  const auto steps = std::span(script_.steps).subspan(begin, step + 1 - begin);
  return {script_.device, {steps.begin(), steps.end()}};
}

}  // namespace tandem::conform
