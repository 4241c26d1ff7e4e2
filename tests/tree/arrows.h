// Arrows between the modules under src/: the includes that each module may have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/tree/source_tree.h"

namespace tandem::tree {

// One sentence for each #include line of `file` that no arrow allows. `wddm_headers` is the result of WddmHeaders(). Files
// outside src/ have no arrows.
[[nodiscard]] std::vector<std::string> ForbiddenIncludes(const SourceFile& file, const std::vector<std::string>& wddm_headers);

// One sentence for each module whose names (`color::`) `file` uses without an arrow to it. Also one for each such module
// without a header included by the file or its own header. `own_header` is the text of the file's own header, or empty.
[[nodiscard]] std::vector<std::string> ForbiddenNames(const SourceFile& file, std::string_view own_header);

}  // namespace tandem::tree
