// Abilities of the terminal behind standard output.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem::cli {

struct TextStyle {
  std::size_t width = 80;  // columns
  bool colour = false;
};

// The width of the window, else COLUMNS, else 80; colours on a terminal, unless NO_COLOR is set.
[[nodiscard]] TextStyle StyleOfStandardOutput();

enum class Ink { kPlain, kGood, kBad, kFaint, kStrong };
[[nodiscard]] std::string Painted(std::string_view text, Ink ink, const TextStyle& style);

// Breaks `text` between words so that no line passes the width; the first line begins with `head`, the others with as many
// spaces. Ends with a line feed.
[[nodiscard]] std::string Wrapped(std::string_view head, std::string_view text, const TextStyle& style);

// At most `columns` wide; what is cut off is shown as "...".
[[nodiscard]] std::string Cut(std::string_view text, std::size_t columns);

}  // namespace tandem::cli
