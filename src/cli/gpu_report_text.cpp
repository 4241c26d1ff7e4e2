#include "cli/gpu_report_text.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace tandem::cli {
namespace {

using Json = nlohmann::ordered_json;

// Text of a cell: no line breaks, no bars.
std::string Escaped(std::string text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string Cell(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return Escaped(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (!value.is_number_float()) return value.dump();
  const double number = value.get<double>();
  const double size = std::abs(number);
  return size >= 1000 ? fmt::format("{:.0f}", number)
         : size >= 10 ? fmt::format("{:.1f}", number)
                      : fmt::format("{:.3f}", number);
}

std::string Heading(std::string key) {
  std::ranges::replace(key, '_', ' ');
  return Escaped(std::move(key));
}

// Columns in the order in which the rows name them first.
std::string Table(const Json& rows) {
  std::vector<std::string> columns;
  for (const Json& row : rows) {
    for (const auto& [key, value] : row.items()) {
      if (std::ranges::find(columns, key) == columns.end()) columns.push_back(key);
    }
  }
  std::string head = "|", line = "|";
  for (const std::string& column : columns) {
    head += " " + Heading(column) + " |";
    line += " --- |";
  }
  std::string text = head + "\n" + line + "\n";
  for (const Json& row : rows) {
    text += "|";
    for (const std::string& column : columns) text += " " + (row.contains(column) ? Cell(row[column]) : "") + " |";
    text += "\n";
  }
  return text;
}

std::string Section(const Json& section) {
  std::string text = fmt::format("### {}\n\n{}", section.value("title", ""), section.value("sentence", ""));
  const std::string state = section.value("state", "");
  if (state != "done")
    text += fmt::format(" **{}{}: {}**", state.substr(0, 1) == "p" ? "P" : "F", state.substr(1), section.value("reason", ""));
  text += "\n";
  if (const Json& rows = section["rows"]; !rows.empty()) text += "\n" + Table(rows);
  return text + "\n";
}

}  // namespace

std::string ToMarkdown(const Json& report) {
  const Json& machine = report["machine"];
  std::string text = fmt::format("# GPU report\n\n{}, {} processors, Linux {}, Tandem {}, {}.\n\n**{}**\n\n",
                                 machine.value("processor", ""), machine.value("processors", 0), machine.value("kernel", ""),
                                 machine.value("tandem", ""), machine.value("time", ""), report.value("verdict", ""));
  for (const Json& device : report["devices"]) {
    text += fmt::format("## {}\n\n", device.value("name", ""));
    if (device.value("is_processor", false)) {
      text += "This device is the processor with a software driver. Its figures say nothing about a GPU.\n\n";
    }
    for (const Json& section : device["sections"]) text += Section(section);
  }
  return text;
}

}  // namespace tandem::cli
