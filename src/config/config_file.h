// The user's files of settings: their folder, their limit, and the key that is no setting.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::config {

inline constexpr std::size_t kMaxConfigBytes = 64 * 1024;
// The key that says whether Tandem serves a program; it stands in files alone.
inline constexpr std::string_view kUseKey = "use";

// $XDG_CONFIG_HOME/tandem/<name>, else ~/.config/tandem/<name>; nothing when the environment has neither. An XDG_CONFIG_HOME that
// is not absolute is ignored, as the specification of XDG directories wants.
[[nodiscard]] std::optional<std::string> ConfigFilePath(std::string_view name);

}  // namespace tandem::config
