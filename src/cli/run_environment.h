// Preparation of a program that `tandem run` or `tandem launch` starts.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/opengl.h"
#include "config/adapter_info.h"
#include "config/settings.h"

namespace tandem::cli {

// File names become absolute: the program may change its folder before the figures are written.
[[nodiscard]] config::Settings WithAbsolutePaths(config::Settings settings);

// The pair that the settings choose exists and may do what they ask; returns its render adapter. A wrong adapter is said here, in
// words; inside the program the layer could only step aside.
[[nodiscard]] Result<config::AdapterInfo> CheckBeforeStart(const config::Settings& settings);

// NAME=value pairs that switch the layer or the driver on in a child process, and zink with `gl`. `settings` are those of
// `traced`, with absolute paths. kNotFound without a layer.
[[nodiscard]] Result<std::vector<std::string>> EnvironmentFor(const config::Settings& settings,
                                                              const config::TracedSettings& traced,
                                                              const config::AdapterInfo& render, const OpenGlChoice& gl);

}  // namespace tandem::cli
