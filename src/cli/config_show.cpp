#include "cli/config_show.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "cli/exit_codes.h"
#include "config/config_file.h"
#include "config/policy/decide.h"
#include "config/setting_table.h"

namespace tandem::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Row {
  std::string key, value, standard;
  config::Origin origin;
};

std::vector<Row> RowsOf(const config::TracedSettings& traced) {
  const std::string use(ToString(traced.settings.use));
  std::vector<Row> rows{{std::string(config::kUseKey), use, "when-launched", traced.OriginOf(config::kUseKey)}};
  for (const config::Setting& setting : config::SettingTable()) {
    rows.push_back(
        {std::string(setting.key), setting.text(traced.settings), config::DefaultText(setting), traced.OriginOf(setting.key)});
  }
  return rows;
}

const char* SourceName(config::Source source) {
  switch (source) {
    case config::Source::kDefault: break;
    case config::Source::kVendor: return "vendor";
    case config::Source::kAdministrator: return "administrator";
    case config::Source::kFile: return "file";
    case config::Source::kEnvironment: return "environment";
    case config::Source::kOption: return "option";
  }
  return "default";
}

std::string OriginText(const config::Origin& origin) {
  switch (origin.source) {
    case config::Source::kDefault: break;
    case config::Source::kVendor:
    case config::Source::kAdministrator: return Escaped(config::PlaceOf(origin));
    case config::Source::kFile: return fmt::format("line {}, [{}]", origin.line, Escaped(origin.table));
    case config::Source::kEnvironment:
    case config::Source::kOption: return origin.name;
  }
  return SourceName(origin.source);
}

bool Exists(const std::string& file) {
  std::error_code error;
  return std::filesystem::exists(file, error);
}

}  // namespace

std::string ConfigTable(const ConfigShowCommand& command, const std::optional<std::string>& file, const TextStyle& style) {
  std::string text = Wrapped("Program: ", command.program.empty() ? "any" : Escaped(command.program), style);
  const std::string name =
      file ? Escaped(*file) + (Exists(*file) ? "" : " (not there)") : "none, for neither HOME nor XDG_CONFIG_HOME is set";
  text += Wrapped("File:    ", name, style) + "\n";
  constexpr std::size_t kWidestValue = 24;
  std::size_t key_columns = 0, value_columns = 0;
  const std::vector<Row> rows = RowsOf(command.traced);
  for (const Row& row : rows) {
    key_columns = std::max(key_columns, row.key.size());
    if (row.value.size() <= kWidestValue) value_columns = std::max(value_columns, row.value.size());
  }
  const auto line = [&](const std::string& key, const std::string& value, const std::string& origin) {
    const std::string head = fmt::format("{:<{}}  {:<{}}", key, key_columns, value, value_columns);
    const bool fits = head.size() + 2 + origin.size() <= style.width;
    return fits ? head + "  " + origin + "\n"
                : fmt::format("{:<{}}  {}\n{:{}}  {}\n", key, key_columns, value, "", key_columns, origin);
  };
  text += line("SETTING", "VALUE", "ORIGIN");
  for (const Row& row : rows) {
    const bool locked = command.traced.locks.contains(row.key);
    text += line(row.key, row.value, OriginText(row.origin) + (locked ? " (locked)" : ""));
  }
  if (!command.traced.notices.empty()) text += "\n";
  for (const std::string& notice : command.traced.notices) text += Wrapped("Note:    ", Escaped(notice), style);
  return text;
}

std::string ConfigJson(const ConfigShowCommand& command, const std::optional<std::string>& file) {
  auto settings = Json::array();
  for (const Row& row : RowsOf(command.traced)) {
    const config::Setting* const setting = config::FindSetting(row.key);
    const bool in_file = row.origin.line != 0;
    settings.push_back({{"key", row.key},
                        {"option", setting != nullptr ? Json(setting->option) : Json()},
                        {"variable", setting != nullptr ? Json(setting->variable) : Json()},
                        {"value", row.value},
                        {"default", row.standard},
                        {"origin", SourceName(row.origin.source)},
                        {"file", in_file ? Json(row.origin.name) : Json()},
                        {"line", in_file ? Json(row.origin.line) : Json()},
                        {"table", in_file ? Json(row.origin.table) : Json()},
                        {"locked", command.traced.locks.contains(row.key)}});
  }
  const Json all{{"program", command.program.empty() ? Json() : Json(command.program)},
                 {"file", file ? Json(*file) : Json()},
                 {"file_exists", file && Exists(*file)},
                 {"settings", settings},
                 {"notices", command.traced.notices}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

int ShowConfig(const ConfigShowCommand& command) {
  const std::optional<std::string> file = config::ConfigFilePath("tandem.toml");
  const std::string text =
      command.format == ListFormat::kJson ? ConfigJson(command, file) : ConfigTable(command, file, StyleOfStandardOutput());
  std::fputs(text.c_str(), stdout);
  return kExitOk;
}

}  // namespace tandem::cli
