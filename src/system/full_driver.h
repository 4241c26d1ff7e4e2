// A full driver under test, on the device that it starts on.
#pragma once

#include <cstdint>

#include "conform/driver_under_test.h"

namespace tandem::system {

// True for a driver that starts on a virtio GPU, or crashes there, and refuses a device about which only the monitors are known.
// Both are tried in processes of their own. Drivers without a driver host know no registers: false.
[[nodiscard]] bool NeedsVirtioGpu(const conform::DriverUnderTest& loaded);

// The driver on a virtio GPU with a screen of so many pixels.
[[nodiscard]] conform::DriverUnderTest OnVirtioGpu(conform::DriverUnderTest loaded, std::uint32_t width, std::uint32_t height);

// The driver, on a virtio GPU with a screen of 1920 x 1080 if it needs one. A driver that does not start without 3D has one
// device: one GPU of a process has 3D.
[[nodiscard]] conform::DriverUnderTest FullUnderTest(conform::DriverUnderTest loaded);

}  // namespace tandem::system
