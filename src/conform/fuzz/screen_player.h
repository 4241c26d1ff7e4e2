// Plays calls on a display-only driver.
#pragma once

#include <memory>

#include "base/result.h"
#include "conform/driver_under_test.h"
#include "conform/fuzz/call_player.h"
#include "kernel/display_only.h"

namespace tandem::conform {

// Starts the driver on the device, whose bus stays the caller's. Errors: StartDisplayOnlyAdapter's.
[[nodiscard]] Result<std::unique_ptr<CallPlayer>> MakeScreenPlayer(const DriverUnderTest& driver,
                                                                   const kernel::DisplayOnlyDevice& device);

}  // namespace tandem::conform
