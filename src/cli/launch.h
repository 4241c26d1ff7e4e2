// tandem launch and tandem menu, which tandem-desktop does.
#pragma once

#include "cli/command_line.h"

namespace tandem::cli {

// Checks the choice of adapters and starts the entry's program without waiting for its end.
[[nodiscard]] int Launch(const LaunchCommand& command);

[[nodiscard]] int Menu(const MenuCommand& command);

}  // namespace tandem::cli
