// A window of our own, for programs that have none and are to be seen nevertheless.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "outputs/output.h"

namespace tandem::outputs {

// Opens a window on `display` (as in $DISPLAY; empty for $DISPLAY itself). It appears with the first frame, takes each frame's
// size, and goes with the output. Status tells 0 x 0: the surface decides. Everything else as CreateX11Output.
[[nodiscard]] Result<std::unique_ptr<Output>> CreateX11WindowOutput(const std::string& display, const std::string& title);

}  // namespace tandem::outputs
