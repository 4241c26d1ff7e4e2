// A driver built with a sanitizer needs the sanitizer's runtime loaded first. The file shows which, without loading it.
#pragma once

#include <string>

#include "base/result.h"

namespace tandem::conform {

// The library that LD_PRELOAD must name before `file` is loaded. Empty when none is needed, or the process already has the
// runtime. A runtime may need addresses that are not random: processes begun afterwards have them then. The process has one
// thread. kNotFound: the sanitizer's runtime is not on this machine. kUnsupported: no program starts with it.
[[nodiscard]] Result<std::string> RuntimeToPreload(const std::string& file);

}  // namespace tandem::conform
