// Anybody's driver: a shared object that exports DriverEntry.
#pragma once

#include <string>

#include "base/result.h"
#include "conform/driver_under_test.h"

namespace tandem::conform {

// What is known of the driver before it is loaded: its name.
[[nodiscard]] DriverUnderTest UnloadedDriver(const std::string& path);

// By DxgkDdiGetStandardAllocationDriverData. Throws NotApplicable when the driver has no such surface.
[[nodiscard]] SurfaceData DescribeStandard(const StartedAdapter& adapter, const SurfaceRequest& request);

// The library stays loaded. Its devices have a TANDEM_BUS_DEVICE for their extension, with monitors on the device that shows;
// surfaces are described by DxgkDdiGetStandardAllocationDriverData, and where it exports one by its TANDEM_CONFORM_INTERFACE.
// kNotFound (no such file, or no DriverEntry in it).
[[nodiscard]] Result<DriverUnderTest> LoadDriver(const std::string& path);

}  // namespace tandem::conform
