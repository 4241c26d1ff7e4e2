// Texts of tandem driver build.
#pragma once

#include <string>

#include "cli/driver_build_diagnostics.h"
#include "cli/terminal.h"

namespace tandem::cli {

struct DriverBuildResult {
  std::string output;  // file; empty: none was made
  std::size_t sources = 0;
  std::size_t compiled = 0;
  Diagnostics missing;
};

[[nodiscard]] std::string DriverBuildText(const DriverBuildResult& result, const TextStyle& style);
[[nodiscard]] std::string DriverBuildJson(const DriverBuildResult& result);

}  // namespace tandem::cli
