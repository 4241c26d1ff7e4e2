// toml++ as Tandem uses it: no exceptions, files in UTF-8.
#pragma once

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// The parser asserts on some malformed files that it reports as errors all the same; a file is input, not a bug.
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace tandem::config {

// A file that is being read, for messages: "file:line".
struct TomlPlace {
  std::string_view file;

  [[nodiscard]] std::string At(const toml::source_region& source) const {
    return std::string(file) + ":" + std::to_string(source.begin.line);
  }
};

// Takes any bytes. Errors: kInvalidArgument (with the line), kLimit (kMaxConfigBytes), kOutOfMemory.
[[nodiscard]] Result<toml::table> ParseToml(std::string_view text, std::string_view file_name);

}  // namespace tandem::config
