// TOML in UTF-8, written anew in ASCII for a parser that takes no other bytes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tandem::config {

[[nodiscard]] bool IsUtf8(std::string_view text);

// The text with its meaning and its lines, in ASCII: characters beyond it become '?' in comments and \uXXXX or \UXXXXXXXX in
// texts in quotes; literal strings become basic ones for that. A text in ASCII comes back as it is. Takes any bytes.
// Errors: kInvalidArgument (file and line) for bytes that are not UTF-8, and for such characters outside quotes and comments.
[[nodiscard]] Result<std::string> AsciiToml(std::string_view text, std::string_view file_name);

}  // namespace tandem::config
