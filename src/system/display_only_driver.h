// A display-only driver on a screen of 1920 x 1080.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "bus/display_device.h"
#include "bus/driver_output.h"
#include "outputs/output.h"

#include <dispmprt.h>

namespace tandem::system {

inline constexpr std::int64_t kScreenPeriodNs = 4'000'000;
// Larger than the pictures of the rules, which stand in its middle.
inline constexpr std::uint32_t kScreenWidth = 1920, kScreenHeight = 1080;

// Errors: MakeDisplayDevice's and DriverOutput's.
[[nodiscard]] Result<std::unique_ptr<bus::DriverOutput>> StartOn(bus::DisplayDeviceKind kind, DRIVER_INITIALIZE* entry,
                                                                 const std::string& name,
                                                                 std::shared_ptr<outputs::Output> output);

// The devices that a driver is tried on, in this order: first the frame buffer, unless MSISupported says that the driver's device
// has interrupts.
[[nodiscard]] std::vector<bus::DisplayDeviceKind> DevicesToTry();

// A device that a driver does not start on, and its reason.
struct RefusedDevice {
  bus::DisplayDeviceKind kind = bus::DisplayDeviceKind::kFramebuffer;
  std::string reason;
};

// The sentences for a driver that starts on no device.
[[nodiscard]] std::string NoDevice(const std::vector<RefusedDevice>& refused);

// The device that the driver starts on, tried in processes of their own; where it starts on none, the first that it crashes on,
// so that a trial tells of the crash. kUnsupported with the reasons.
[[nodiscard]] Result<bus::DisplayDeviceKind> DeviceOf(DRIVER_INITIALIZE* entry, const std::string& name);

}  // namespace tandem::system
