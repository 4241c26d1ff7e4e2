// Makes foreign text safe for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem {

// Replaces control characters (C0, DEL, C1), marks that change the text direction and invalid UTF-8 by '?'.
[[nodiscard]] std::string Printable(std::string_view text);
// Replaces each byte of them by \xNN: a reader sees it and a terminal does not obey it.
[[nodiscard]] std::string Escaped(std::string_view text);

// The longest prefix of `text` that fits `bytes` and ends at a whole character.
[[nodiscard]] std::string_view FittingUtf8(std::string_view text, std::size_t bytes);

}  // namespace tandem
