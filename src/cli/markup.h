// Text between the tags, and in the attributes, of XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace tandem::cli {

// The text with its signs of markup as entities. Control characters become spaces, line ends "&#10;".
[[nodiscard]] std::string InMarkup(std::string_view text);

}  // namespace tandem::cli
