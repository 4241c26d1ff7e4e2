#include "conform/fuzz/call_player.h"

#include <exception>

#include "kernel/ddi_counts.h"

namespace tandem::conform {
namespace {

// The device's doing, or none; no call of user mode.
bool IsEvent(Call call) { return call == Call::kInterrupt || call == Call::kRegister || call == Call::kPause; }

NTSTATUS PlayOne(const CallStep& step, CallPlayer& player) {
  try {
    return player.Play(step);
  } catch (const std::exception&) {  // the rig refuses what makes no sense
    return STATUS_INVALID_PARAMETER;
  }
}

}  // namespace

std::vector<std::string> Play(const CallScript& script, CallPlayer& player, RunNotes& notes) {
  for (const CallStep& step : script.steps) {
    notes.steps.fetch_add(1);
    const bool event = IsEvent(step.call);
    if (!event) notes.calls.fetch_add(1);
    const std::uint64_t before = kernel::DdisSoFar().calls;
    static_cast<void>(PlayOne(step, player));
    const kernel::DdiCounts counts = kernel::DdisSoFar();
    if (!event && counts.calls != before) notes.reached.fetch_add(1);
    notes.seen = counts.seen;
    if (auto broken = player.Broken(); !broken.empty()) return broken;
  }
  return player.Broken();
}

}  // namespace tandem::conform
