// Plays calls on a full driver: D3DKMT thunks, escapes, VidPN topologies.
#pragma once

#include <memory>

#include "conform/driver_under_test.h"
#include "conform/fuzz/call_player.h"

namespace tandem::conform {

// Starts the driver's adapters, with misbehaving devices where theirs have buses; `reference` shows where the driver has no
// outputs. Throws RuleBroken when they do not start.
[[nodiscard]] std::unique_ptr<CallPlayer> MakeAdapterPlayer(const DriverUnderTest& driver, const DriverUnderTest& reference);

}  // namespace tandem::conform
