// The version that --version prints; the build passes it from CMake's project().
#pragma once

namespace tandem::cli {

inline constexpr const char* kVersion = TANDEM_VERSION;

}  // namespace tandem::cli
