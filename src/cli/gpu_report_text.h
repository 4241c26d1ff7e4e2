// A GPU report as Markdown.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace tandem::cli {

// `report` is report.json: a machine, its devices, their sections with rows. Each section becomes a table.
[[nodiscard]] std::string ToMarkdown(const nlohmann::ordered_json& report);

}  // namespace tandem::cli
