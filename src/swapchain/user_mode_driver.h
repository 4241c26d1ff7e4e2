// User-mode drivers in shared objects: the runtime knows a driver's file name and searches one folder for it.
#pragma once

#include <string>

#include "base/result.h"

#include <d3d10umddi.h>

namespace tandem::swapchain {

// The folder for drivers that are loaded from now on. An application's initialization names another folder, where a shim has the
// driver's name. Thread-safe.
void SetUserModeDriverFolder(std::string folder);

// OpenAdapter10_2 of the file; the library stays loaded. `file_name` has no slash. kInvalidArgument, kNotFound.
[[nodiscard]] Result<PFND3D10DDI_OPENADAPTER> LoadUserModeDriver(const std::string& file_name);

}  // namespace tandem::swapchain
