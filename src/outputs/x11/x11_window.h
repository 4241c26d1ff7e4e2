// A window of our own, for a program that has none and whose frames must be visible.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "outputs/output.h"

namespace tandem::outputs {

// Opens a window on `display` (in the form of $DISPLAY; empty: $DISPLAY itself). The window appears with the first frame,
// follows each frame's size, and closes with the output. Status reports 0 x 0, because the surface decides. Otherwise as
// CreateX11Output.
[[nodiscard]] Result<std::unique_ptr<Output>> CreateX11WindowOutput(const std::string& display, const std::string& title);

}  // namespace tandem::outputs
