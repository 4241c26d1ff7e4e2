// Text that somebody else wrote, made fit for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem {

// Control characters (C0, DEL, C1), marks that turn the direction of text and bytes that are not UTF-8 become '?'.
[[nodiscard]] std::string Printable(std::string_view text);
// They become \xNN, a byte each, so that a reader sees them and a terminal does not obey them.
[[nodiscard]] std::string Escaped(std::string_view text);

// The beginning of `text` that fits `bytes` without cutting a character in two.
[[nodiscard]] std::string_view FittingUtf8(std::string_view text, std::size_t bytes);

}  // namespace tandem
