// Meanings of a word of the command line that is no command.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::cli {

// The word of `known` that differs from `word` by the fewest letters; empty when none is near: more than a third of them differ.
[[nodiscard]] std::string Nearest(std::string_view word, std::span<const std::string> known);

// The file that a shell would start by this name now: a path, or a file in a folder of PATH, that may be executed. Empty: none.
[[nodiscard]] std::string FindProgram(const std::string& word);

// `tandem help run` becomes `tandem run --help`, `tandem PROGRAM ...` becomes `tandem run -- PROGRAM ...`; anything else stays.
// `arguments` are those behind the command's own name.
[[nodiscard]] std::vector<std::string> Understood(std::vector<std::string> arguments, std::span<const std::string> commands);

}  // namespace tandem::cli
