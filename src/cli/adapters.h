// tandem adapters: what this machine has to render with and to show on.
#pragma once

#include <span>
#include <string>

#include "cli/command_line.h"
#include "config/adapter_info.h"
#include "config/graphics_nodes.h"
#include "system/link_report.h"

namespace tandem::cli {

// `links`: one for each adapter, or none where they were not asked for. `closed`: nodes of adapters that cannot be had.
// `cached`: the list is a kept one, and no node was tried.
[[nodiscard]] std::string ToTable(std::span<const config::AdapterInfo> adapters, std::span<const system::AdapterLink> links,
                                  std::span<const config::ClosedNode> closed, bool cached = false);
[[nodiscard]] std::string ToJson(std::span<const config::AdapterInfo> adapters, std::span<const system::AdapterLink> links,
                                 std::span<const config::ClosedNode> closed, bool cached = false);

// Prints the list on standard output and returns the exit code.
[[nodiscard]] int ListAdapters(const AdaptersCommand& command);

}  // namespace tandem::cli
