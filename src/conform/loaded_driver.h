// A driver in a shared object that exports DriverEntry.
#pragma once

#include <string>

#include "base/result.h"
#include "conform/driver_under_test.h"

namespace tandem::conform {

// Describes the driver before it is loaded: only its name is known.
[[nodiscard]] DriverUnderTest UnloadedDriver(const std::string& path);

// Uses DxgkDdiGetStandardAllocationDriverData. Throws NotApplicable when the driver has no such surface.
[[nodiscard]] SurfaceData DescribeStandard(const StartedAdapter& adapter, const SurfaceRequest& request);

// Loads the driver; the library stays loaded. A driver host in it is attached. Each device's extension is a TANDEM_BUS_DEVICE;
// the display device has monitors. Surfaces are described by DxgkDdiGetStandardAllocationDriverData, and by
// TANDEM_CONFORM_INTERFACE if the driver exports it. kNotFound: the file is missing, or exports no DriverEntry.
[[nodiscard]] Result<DriverUnderTest> LoadDriver(const std::string& path);

}  // namespace tandem::conform
