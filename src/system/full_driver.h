// A full driver under test, on the device that it starts on.
#pragma once

#include <cstdint>
#include <optional>

#include "bus/device_model.h"
#include "conform/driver_under_test.h"

namespace tandem::system {

// The interrupts of the virtio GPU that a driver starts on, or crashes on, which refuses a device about which only the monitors
// are known; nullopt for other drivers. Each is tried in a process of its own. Drivers without a driver host know no registers.
[[nodiscard]] std::optional<bus::PciInterrupts> GpuInterruptsOf(const conform::DriverUnderTest& loaded);

// The driver on a virtio GPU with a screen of so many pixels.
[[nodiscard]] conform::DriverUnderTest OnVirtioGpu(conform::DriverUnderTest loaded, bus::PciInterrupts interrupts,
                                                   std::uint32_t width, std::uint32_t height);

// The driver, on a virtio GPU with a screen of 1920 x 1080 if it needs one. A driver that does not start without 3D has one
// device: one GPU of a process has 3D.
[[nodiscard]] conform::DriverUnderTest FullUnderTest(conform::DriverUnderTest loaded);

}  // namespace tandem::system
