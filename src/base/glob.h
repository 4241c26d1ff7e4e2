// Names with '*' and '?' in them.
#pragma once

#include <string_view>

namespace tandem {

// True if `pattern` fits all of `text`: '*' stands for any characters, '?' for one of UTF-8. An empty text fits no pattern. Takes
// any bytes, in the product of both lengths at most: fnmatch(3) can be kept busy for hours by a text that a program chose.
[[nodiscard]] bool MatchesGlob(std::string_view pattern, std::string_view text);

}  // namespace tandem
