// tandem adapters: what this machine has to render with and to show on.
#pragma once

#include <span>
#include <string>

#include "cli/command_line.h"
#include "coproc/adapter_info.h"

namespace tandem::cli {

[[nodiscard]] std::string ToTable(std::span<const coproc::AdapterInfo> adapters);
[[nodiscard]] std::string ToJson(std::span<const coproc::AdapterInfo> adapters);

// Prints the list on standard output and returns the exit code.
[[nodiscard]] int ListAdapters(const AdaptersCommand& command);

}  // namespace tandem::cli
