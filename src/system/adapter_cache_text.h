// The text of a kept list of adapters: JSON with the machine's key and the fields of each adapter.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/adapter_info.h"
#include "system/machine.h"

namespace tandem::system {

inline constexpr std::size_t kMaxAdapterCacheBytes = std::size_t{64} * 1024;
inline constexpr std::size_t kMaxCachedAdapters = 64;

// Keeps neither index nor AdapterInfo::hidden, which the list's order and the configuration file give.
[[nodiscard]] std::string AdapterCacheText(std::span<const config::AdapterInfo> adapters, const Machine& machine);

// Takes any bytes. kNotFound with the difference when the list is of another machine, driver or kernel. kInvalidArgument when a
// field is missing or outside its limits, or when an adapter has a device or a driver that the machine lacks.
[[nodiscard]] Result<std::vector<config::AdapterInfo>> ParseAdapterCache(std::string_view text, const Machine& machine);

}  // namespace tandem::system
