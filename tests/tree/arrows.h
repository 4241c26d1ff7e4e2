// Who may include whom: the arrows between the modules under src/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/tree/source_tree.h"

namespace tandem::tree {

// One sentence for each #include line of `file` that no arrow allows. `wddm_headers` as WddmHeaders() gives them.
// Files outside src/ have no arrows.
[[nodiscard]] std::vector<std::string> ForbiddenIncludes(const SourceFile& file, const std::vector<std::string>& wddm_headers);

// One sentence for each module whose names (`color::`) `file` uses although no arrow leads there, or although neither the file
// nor its own header includes a header of that module. `own_header` is the text of the header of the file's name, or empty.
[[nodiscard]] std::vector<std::string> ForbiddenNames(const SourceFile& file, std::string_view own_header);

}  // namespace tandem::tree
