// Who may include whom: the arrows between the modules under src/.
#pragma once

#include <string>
#include <vector>

#include "tests/house/source_tree.h"

namespace tandem::house {

// One sentence for each #include line of `file` that no arrow allows. `wddm_headers` as WddmHeaders() gives them.
// Files outside src/ have no arrows.
[[nodiscard]] std::vector<std::string> ForbiddenIncludes(const SourceFile& file, const std::vector<std::string>& wddm_headers);

}  // namespace tandem::house
