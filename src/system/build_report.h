// Data of `tandem --version --verbose`: the parts of this build.
#pragma once

#include <string>
#include <vector>

namespace tandem::system {

struct BuildReport {
  std::vector<std::string> drivers;  // as in --display
  std::vector<std::string> outputs;
  std::string wayland_protocols;  // names, separated by commas
  std::string wayland_left_out;   // the same; the build found no files of these
};

[[nodiscard]] BuildReport ReportBuild();

}  // namespace tandem::system
