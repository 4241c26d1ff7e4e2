// The service that desktops ask which GPUs a program may be started on: net.hadess.SwitcherooControl on the system bus.
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "desktop/common/gpu_list.h"

namespace tandem::desktop {

inline constexpr char kSwitcherooName[] = "net.hadess.SwitcherooControl";
inline constexpr char kSwitcherooPath[] = "/net/hadess/SwitcherooControl";

using GpuSource = std::function<Result<std::vector<Gpu>>()>;

// Serves until SIGTERM or SIGINT, on the calling thread, which must be the only one. `source` is asked at the start, on SIGHUP,
// and once graphics devices came or went; changes are signalled. Errors: kUnsupported where another service has the name, which
// keeps it; kIo where the bus is not there, refuses the name, or goes away; the first call's of `source`.
Result<void> ServeSwitcheroo(const GpuSource& source);

}  // namespace tandem::desktop
