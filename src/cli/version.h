// The texts of --version; the build passes the version from CMake's project().
#pragma once

#include <string>

namespace tandem::cli {

inline constexpr const char* kVersion = TANDEM_VERSION;

// Lines on the parts of this build: libraries with their versions, drivers, outputs, Wayland protocols.
[[nodiscard]] std::string VerboseVersion();

}  // namespace tandem::cli
