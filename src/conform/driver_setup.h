// The values of a driver's setup file that the build read, as the registry has them once Windows has installed the driver.
#pragma once

namespace tandem::conform {

// Adds the device's MSISupported to the current driver settings, unless a value is there. `library` is dlopen's handle. Before
// the driver's host is attached.
void InstallSetupOf(void* library);

}  // namespace tandem::conform
