// `long` has 32 bits on Windows and 64 here. A driver that writes it gets its sources with `int` in its place.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tandem::cli {

// The text with `int` for each `long` that is no part of `long long` or `long double`; the lines stay. Comments and literals
// stay. nullopt: nothing changes.
[[nodiscard]] std::optional<std::string> WithWindowsLongs(std::string_view text);

}  // namespace tandem::cli
