// Rules that one file keeps or breaks by itself.
#pragma once

#include <string>
#include <vector>

#include "tests/tree/source_tree.h"

namespace tandem::tree {

// Each gives one sentence for each place that breaks it.
[[nodiscard]] std::vector<std::string> LongFile(const SourceFile& file);          // more than 800 lines
[[nodiscard]] std::vector<std::string> ClimbingIncludes(const SourceFile& file);  // #include "../…"
[[nodiscard]] std::vector<std::string> MissingGuard(const SourceFile& file);      // a header that may not be included twice
[[nodiscard]] std::vector<std::string> UnreasonedNotes(
    const SourceFile& file);  // a note for later without a reason; marks other than TODO
[[nodiscard]] std::vector<std::string> StrayTime(const SourceFile& file);  // time that was not injected
// A .cpp under src/ whose header stands beside it and is not its first include. `tree` tells which headers there are.
[[nodiscard]] std::vector<std::string> HeaderNotFirst(const SourceFile& file, const std::vector<SourceFile>& tree);

}  // namespace tandem::tree
