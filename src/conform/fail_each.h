// Trials in which one service of the system fails: memory, mappings, threads, of the driver host and DXGKRNL_INTERFACE.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conform/plan.h"

namespace tandem::conform {

class Rig;

// Shows some frames of the render adapter on the display adapter.
void CrossFrames(Rig& rig);

// Rule Fail.Each with the driver on either side. The trial's failed_service is 0: nothing fails.
[[nodiscard]] Trial FailTrial(const DriverUnderTest& driver, const DriverUnderTest& reference);

// A driver whose adapter does not start, or which refuses work, has answered. `broken`: the rules that it broke, a sentence each.
[[nodiscard]] Outcome JudgeFailedService(const Outcome& outcome, const std::string& broken);

}  // namespace tandem::conform
