// The configuration file: TOML with a table [default] and a table [app."name"] for each program that needs its own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/settings.h"

namespace tandem::config {

inline constexpr std::size_t kMaxConfigBytes = 64 * 1024;
// The key that says whether Tandem serves a program; it stands in the file alone.
inline constexpr std::string_view kUseKey = "use";

// `base` with the values of [default] and then of [app."application"]. An error in another program's table counts for that
// program alone. Takes any bytes. Errors: kInvalidArgument (file, line, value and what is allowed), kLimit (kMaxConfigBytes).
[[nodiscard]] Result<TracedSettings> ApplyConfigText(std::string_view toml, std::string_view file_name,
                                                     std::string_view application, const TracedSettings& base);

// $XDG_CONFIG_HOME/tandem/<name>, else ~/.config/tandem/<name>; nothing when the environment has neither. An XDG_CONFIG_HOME that
// is not absolute is ignored, as the specification of XDG directories wants.
[[nodiscard]] std::optional<std::string> ConfigFilePath(std::string_view name);

// ApplyConfigText of a file; `base` when there is no such file. Also kIo.
[[nodiscard]] Result<TracedSettings> ApplyConfigFile(const std::string& path, std::string_view application,
                                                     const TracedSettings& base);

}  // namespace tandem::config
