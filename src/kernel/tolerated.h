// Rules of the contract that a driver breaks and that Windows lets pass. The adapter goes on.
#pragma once

#include <string>

namespace tandem::kernel {

// Logs the rule and keeps it, once for each text. `seen` is a sentence. Any thread, any IRQL.
void ReportTolerated(const char* rule, const std::string& seen);

// The rules of the process's drivers since the last call, with what was seen; empty: none.
[[nodiscard]] std::string TakeTolerated();

}  // namespace tandem::kernel
