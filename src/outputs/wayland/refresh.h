// The refresh period of a compositor's first output, read on a connection of Tandem's own.
#pragma once

#include <cstdint>
#include <optional>

#include "outputs/wayland/client.h"

namespace tandem::outputs {

// The compositor at the other end of `program`. A wl_output on the program's connection would reach the program with
// wl_surface.enter, and some programs look only for their own. Empty if that compositor takes no second connection or reports
// no mode. Waits at most ten seconds for each answer.
[[nodiscard]] std::optional<std::int64_t> RefreshPeriodNs(wl_display* program);

}  // namespace tandem::outputs
