// The sentence of `tandem run` about a display driver that crashed.
#pragma once

#include <string>

#include "status/run_note.h"

namespace tandem::cli {

// "The display driver a.so crashed in DxgkDdiPresent: Segmentation fault.", then a line for each function of the driver that was
// being called, innermost first. Ends with a line feed; has no control characters besides.
[[nodiscard]] std::string CrashText(const status::DriverCrash& crash);

}  // namespace tandem::cli
