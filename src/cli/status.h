// tandem status: the programs that run under Tandem now.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/command_line.h"
#include "cli/terminal.h"
#include "status/live_folder.h"

namespace tandem::cli {

// `now_ns` as LiveSwapChain::reported_ns counts.
[[nodiscard]] std::string StatusTable(const status::LivePrograms& found, std::int64_t now_ns, const TextStyle& style);

enum class JsonShape { kIndented, kLine };
[[nodiscard]] std::string StatusJson(const status::LivePrograms& found, std::int64_t now_ns, JsonShape shape);

[[nodiscard]] nlohmann::ordered_json SwapChainJson(const status::LiveSwapChain& chain, std::int64_t now_ns);

// Prints once, or until interrupted; returns the exit code.
[[nodiscard]] int Status(const StatusCommand& command);

}  // namespace tandem::cli
