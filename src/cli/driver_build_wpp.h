// Software tracing (WPP): its preprocessor writes a .tmh file for each source, from comments. Here these files define the trace
// functions as macros without effect.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace tandem::cli {

// Names of the trace functions in the `begin_wpp config` blocks of a header.
[[nodiscard]] std::set<std::string> TraceFunctionsOf(std::string_view header);

// Text of every .tmh file.
[[nodiscard]] std::string TraceStub(const std::set<std::string>& functions);

}  // namespace tandem::cli
