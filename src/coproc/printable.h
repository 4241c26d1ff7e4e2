// Text that somebody else wrote, made fit for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem::coproc {

// Control characters (C0, DEL, C1) and bytes that are not UTF-8 become '?'.
[[nodiscard]] std::string Printable(std::string_view text);

// The beginning of `text` that fits `bytes` without cutting a character in two.
[[nodiscard]] std::string_view FittingUtf8(std::string_view text, std::size_t bytes);

}  // namespace tandem::coproc
