// Patterns that name programs: "steam:440", "desktop:org.example.*", "/opt/game/*", "game".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/policy/identity.h"

namespace tandem::config {

inline constexpr std::size_t kMaxPatternBytes = 4095;

enum class PatternKind : std::uint8_t { kExecutable, kWindows, kSteam, kFlatpak, kDesktop, kApplication, kEngine };
// "exe", "windows", "steam", "flatpak", "desktop", "application", "engine".
[[nodiscard]] std::string_view ToString(PatternKind kind);

struct Pattern {
  PatternKind kind = PatternKind::kExecutable;
  std::string text;  // '*' stands for any characters, '?' for one; never empty
};

// "KIND:TEXT"; "ID.desktop", which names a desktop entry; any other text without a kind names an executable. Takes any bytes.
// Errors: kInvalidArgument for an empty text or a control character; kLimit (kMaxPatternBytes).
[[nodiscard]] Result<Pattern> ParsePattern(std::string_view text);

// - exe: a text with a slash is the executable's whole path, another one its name.
// - windows: a text with a backslash or a slash is the whole path, another one the file's name; in any case of letters.
// - desktop: with or without ".desktop".
[[nodiscard]] bool Matches(const Pattern& pattern, const ProgramIdentity& program);

}  // namespace tandem::config
