#include "cli/version.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "system/build_report.h"

// Made by the build: kBuiltWith, names and versions.
#include <built_with.h>

namespace tandem::cli {

std::string VerboseVersion() {
  const system::BuildReport build = system::ReportBuild();
  std::string text =
      fmt::format("tandem {}\nbuilt with: {}\ndrivers: {}\noutputs: {}\nWayland protocols: {}\n", kVersion, kBuiltWith,
                  fmt::join(build.drivers, ", "), fmt::join(build.outputs, ", "), build.wayland_protocols);
  text += fmt::format("left out, for their files are not in this wayland-protocols: {}",
                      build.wayland_left_out.empty() ? "none" : build.wayland_left_out);
  return text;
}

}  // namespace tandem::cli
