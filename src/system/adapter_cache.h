// The list of adapters that was made when their drivers were last opened, so that reading names wakes no GPU.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/adapter_info.h"
#include "system/machine.h"

namespace tandem::system {

// The list in the file. kNotFound when there is none or it no longer fits the machine, kInvalidArgument when its content is
// wrong, kUnsupported when another user owns it or could have written it, kIo.
[[nodiscard]] Result<std::vector<config::AdapterInfo>> ReadAdapterCache(const std::string& path, const Machine& machine);
// Replaces the file in one step, in a folder that is this user's alone. kIo, kUnsupported.
Result<void> WriteAdapterCache(const std::string& path, std::span<const config::AdapterInfo> adapters, const Machine& machine);

// This machine's, from $XDG_CACHE_HOME/tandem/adapters.json and with the configuration file's tags. Opens neither a driver nor
// the node of a GPU.
[[nodiscard]] Result<std::vector<config::AdapterInfo>> CachedAdapters();
// True if runtime power management has suspended a display device.
[[nodiscard]] bool IsGpuAsleep();

// Keeps this machine's list, which `before` was read ahead of. Nothing is kept when the machine changed meanwhile, or when a node
// is blocked, whose adapter is then missing.
void KeepAdapters(std::span<const config::AdapterInfo> adapters, const Machine& before);
// Puts tiers that the kernel reported into the kept list.
void KeepTiers(std::span<const config::AdapterInfo> adapters);
// This machine as it is now.
[[nodiscard]] Machine ThisMachine();

}  // namespace tandem::system
