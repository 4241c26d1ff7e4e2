// Makes a script smaller while it still shows what it showed.
#pragma once

#include <functional>

#include "conform/fuzz/call_script.h"

namespace tandem::conform {

// Leaves steps out, then makes data shorter and numbers zero, as long as `shows` is true for the rest. `more` is asked before
// each try; false: the smallest script so far is the answer. Precondition: shows(script).
[[nodiscard]] CallScript Shrink(CallScript script, const std::function<bool(const CallScript&)>& shows,
                                const std::function<bool()>& more);

}  // namespace tandem::conform
