// What Windows' compiler takes otherwise than clang: a driver that depends on it gets changed copies of its sources.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tandem::cli {

// All leave comments, literals and the order of lines. nullopt: nothing changes.

// `long` has 32 bits on Windows and 64 here: `int` for each `long` that is no part of `long long` or `long double`.
[[nodiscard]] std::optional<std::string> WithWindowsLongs(std::string_view text);

// Windows' compiler checks what an operator new returned before it constructs an object there; clang does so when the operator is
// noexcept.
[[nodiscard]] std::optional<std::string> WithCheckedNew(std::string_view text);

// `__leave` ends the innermost __try body: a jump to its end, over the bodies of loops.
[[nodiscard]] std::optional<std::string> WithLeave(std::string_view text);

// All of them.
[[nodiscard]] std::optional<std::string> InClangsDialect(std::string_view text);

}  // namespace tandem::cli
