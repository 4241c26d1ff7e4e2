// OpenGL of a program that Tandem starts. zink, Mesa's OpenGL over Vulkan, brings its frames to Tandem's layer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/policy/identity.h"
#include "config/setting_values.h"

namespace tandem::cli {

struct OpenGlChoice {
  bool zink = false;
  bool missing = false;  // the program asks for OpenGL, and there is no zink for it
  std::string reason;    // sentences
};

// The machine as a choice sees it.
struct OpenGlPlaces {
  config::Environment variable;
  std::vector<std::string> folders;  // of the loader
};
[[nodiscard]] OpenGlPlaces OpenGlPlacesHere();

// A sentence that says why no zink here makes swap chains, and what to install. Nothing where one does.
[[nodiscard]] std::optional<std::string> MissingZink(const OpenGlPlaces& places);

// `program` is a path, or a name in a folder of PATH. kUnsupported: `use` is kOn and there is no zink that makes swap chains.
[[nodiscard]] Result<OpenGlChoice> ChooseOpenGl(config::OpenGl use, const std::string& program, const OpenGlPlaces& places);

// NAME=value pairs that have Mesa draw with zink. zink refuses a CPU device without LIBGL_ALWAYS_SOFTWARE, and any other with it.
[[nodiscard]] std::vector<std::string> ZinkEnvironment(bool renders_on_cpu);

}  // namespace tandem::cli
