// Rules about single files.
#pragma once

#include <string>
#include <vector>

#include "tests/tree/source_tree.h"

namespace tandem::tree {

// Each function returns one sentence for each violation.
[[nodiscard]] std::vector<std::string> LongFile(const SourceFile& file);          // more than 800 lines
[[nodiscard]] std::vector<std::string> ClimbingIncludes(const SourceFile& file);  // #include "../…"
[[nodiscard]] std::vector<std::string> MissingGuard(const SourceFile& file);      // a header that must not be included twice
[[nodiscard]] std::vector<std::string> UnreasonedNotes(
    const SourceFile& file);  // a note for later without a reason; marks other than TODO
[[nodiscard]] std::vector<std::string> StrayTime(const SourceFile& file);  // time that is not injected
// A condition variable of the C library: it harms threads that a program ends while they wait. base/condition.h does not.
[[nodiscard]] std::vector<std::string> StrayCondition(const SourceFile& file);
// A .cpp under src/ whose own header exists and is not its first include. `tree` contains the existing headers.
[[nodiscard]] std::vector<std::string> HeaderNotFirst(const SourceFile& file, const std::vector<SourceFile>& tree);

}  // namespace tandem::tree
