// A stranger's driver that `tandem fuzz` plays calls on, on the device that the script names.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "conform/driver_under_test.h"
#include "conform/fuzz/call_player.h"

namespace tandem::system {

// The device that DriverReport::device names.
[[nodiscard]] conform::ScriptDevice ScriptDeviceNamed(std::string_view name);

// Starts the driver. Errors: kUnsupported, with the reason, when it does not start; those of bus::MakeDisplayDevice.
[[nodiscard]] Result<std::unique_ptr<conform::CallPlayer>> MakePlayer(const conform::DriverUnderTest& loaded,
                                                                      conform::ScriptDevice device);

}  // namespace tandem::system
