// Files below the user's cache folder that nobody else could have written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tandem::system {

// $XDG_CACHE_HOME/tandem/NAME. kNotFound without a home folder.
[[nodiscard]] Result<std::string> CachePath(const std::string& name);

// At most `limit` + 1 bytes of the file, so that one too many is seen. kNotFound when there is none, kUnsupported when another
// user owns it or its folder, or could have written either, kIo.
[[nodiscard]] Result<std::string> ReadCacheFile(const std::string& path, std::size_t limit);

// Replaces the file in one step, in a folder that is this user's alone and is made when it is missing. kIo, kUnsupported.
Result<void> WriteCacheFile(const std::string& path, std::string_view bytes);

}  // namespace tandem::system
