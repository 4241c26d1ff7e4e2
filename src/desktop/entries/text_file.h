// Files of desktops, which are larger than Tandem's own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"

namespace tandem::desktop {

inline constexpr std::size_t kMaxTextFileBytes = 1 << 20;

// Nothing when there is no such file. kUnsupported for a pipe, a folder or a device, kLimit, kIo.
[[nodiscard]] Result<std::optional<std::string>> ReadTextFile(const std::string& path);

}  // namespace tandem::desktop
