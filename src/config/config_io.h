// Files of settings on the disk.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tandem::config {

// At most kMaxConfigBytes + 1 bytes of the file, so that one too many is seen; nothing when there is no such file. kIo.
[[nodiscard]] Result<std::optional<std::string>> ReadConfigFile(const std::string& path);

// Puts `text` in the file's place in one step: a reader sees the old file or the new one, also after a crash. Makes the folder
// when it is missing; a symbolic link stays one. kIo.
Result<void> ReplaceConfigFile(const std::string& path, std::string_view text);

}  // namespace tandem::config
