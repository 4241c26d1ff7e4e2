// Work of a driver in a process of its own.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"

namespace tandem::conform {

// The number from 0 to 255 that `work` returned; nothing if it crashed. The child ends with the thread that waits for it. kIo:
// there is no process for it. The process has one thread.
[[nodiscard]] Result<std::optional<int>> RunInChild(const std::function<int()>& work);
// The text that `work` returned, up to 4 KiB of it; nothing if it crashed. The rest is RunInChild's.
[[nodiscard]] Result<std::optional<std::string>> TextOfChild(const std::function<std::string()>& work);

}  // namespace tandem::conform
