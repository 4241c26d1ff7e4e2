// A driver that was built with a sanitizer needs its runtime first in the process. Found out from the file, without loading it.
#pragma once

#include <string>

#include "base/result.h"

namespace tandem::conform {

// The library that LD_PRELOAD names before `file` can be loaded; empty when it needs none, or when this process
// has the runtime already. kNotFound: it was built with a sanitizer whose runtime is not on this machine.
[[nodiscard]] Result<std::string> RuntimeToPreload(const std::string& file);

}  // namespace tandem::conform
