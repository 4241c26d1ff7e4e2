#include "config/config_file.h"

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "base/env.h"
#include "config/config_io.h"
#include "config/setting_table.h"
#include "config/toml.h"

namespace tandem::config {
namespace {

std::string AllowedKeys() {
  std::string text(kUseKey);
  for (const Setting& setting : SettingTable()) text += ", " + std::string(setting.key);
  return text;
}

std::string_view Wanted(ValueType type) {
  switch (type) {
    case ValueType::kText: return "a text in quotes";
    case ValueType::kTextOrIndex: return "a text in quotes or a whole number";
    case ValueType::kFlag:
    case ValueType::kSwitch: return "true or false";
  }
  return "";
}

// The value as the environment would have it; nothing when its type does not fit.
std::optional<std::string> TextOf(const toml::node& node, ValueType type) {
  if (const auto* text = node.as_string()) return text->get();
  const bool is_flag = type == ValueType::kFlag || type == ValueType::kSwitch;
  if (const auto* flag = node.as_boolean(); flag && is_flag) return flag->get() ? "true" : "false";
  if (const auto* number = node.as_integer(); number && type == ValueType::kTextOrIndex) return std::to_string(number->get());
  return std::nullopt;
}

// The table that is applied, and its place in the file.
struct TablePlace {
  TomlPlace file;
  std::string table;

  [[nodiscard]] Origin At(const toml::node& node) const {
    return {.source = Source::kFile, .name = std::string(file.file), .line = node.source().begin.line, .table = table};
  }
};

Result<void> ApplyUse(const toml::node& node, const TablePlace& place, TracedSettings& traced) {
  const auto use = ParseUse(node.value<std::string_view>().value_or(""));
  if (!use.ok()) return use.error().Context(fmt::format("{}: {}", place.file.At(node.source()), kUseKey));
  traced.settings.use = *use;
  traced.origins.insert_or_assign(std::string(kUseKey), place.At(node));
  return {};
}

Result<void> ApplyTable(const toml::table& table, const TablePlace& place, TracedSettings& traced) {
  for (const auto& [name, node] : table) {
    if (name.str() == kUseKey) {
      if (auto applied = ApplyUse(node, place, traced); !applied.ok()) return applied;
      continue;
    }
    const Setting* setting = FindSetting(name.str());
    if (!setting) {
      return Fail(ErrorKind::kInvalidArgument, "{}: [{}] has a key '{}', which is not one of {}.", place.file.At(name.source()),
                  place.table, name.str(), AllowedKeys());
    }
    const std::string at = fmt::format("{}: {}", place.file.At(node.source()), setting->key);
    const auto text = TextOf(node, setting->type);
    if (!text) return Fail(ErrorKind::kInvalidArgument, "{} is not {}.", at, Wanted(setting->type));
    if (auto set = Set(traced, *setting, *text, place.At(node)); !set.ok()) return std::move(set).error().Context(at);
  }
  return {};
}

Result<void> ApplyApps(const toml::table& apps, std::string_view application, const TomlPlace& place, TracedSettings& traced) {
  const toml::node* const node = apps.get(application);
  if (node == nullptr) return {};
  const toml::table* const table = node->as_table();
  if (table == nullptr) {
    return Fail(ErrorKind::kInvalidArgument, "{}: app.{} is not a table; write [app.\"{}\"].", place.At(node->source()),
                application, application);
  }
  return ApplyTable(*table, {place, fmt::format("app.\"{}\"", application)}, traced);
}

Result<TracedSettings> Apply(const toml::table& root, std::string_view application, const TomlPlace& place,
                             const TracedSettings& base) {
  TracedSettings traced = base;
  for (const auto& [name, node] : root) {
    if ((name != "default" && name != "app" && name != "adapter") || !node.is_table()) {
      return Fail(ErrorKind::kInvalidArgument,
                  "{}: '{}' is not one of the tables [default], [app.\"name\"], [adapter.\"selector\"].", place.At(name.source()),
                  name.str());
    }
  }
  if (const toml::table* table = root["default"].as_table()) {
    if (auto applied = ApplyTable(*table, {place, "default"}, traced); !applied.ok()) return std::move(applied).error();
  }
  if (const toml::table* table = root["app"].as_table()) {
    if (auto applied = ApplyApps(*table, application, place, traced); !applied.ok()) return std::move(applied).error();
  }
  return traced;
}

}  // namespace

Result<TracedSettings> ApplyConfigText(std::string_view toml_text, std::string_view file_name, std::string_view application,
                                       const TracedSettings& base) {
  const auto parsed = ParseToml(toml_text, file_name);
  if (!parsed.ok()) return parsed.error();
  try {
    return Apply(*parsed, application, TomlPlace{file_name}, base);
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kOutOfMemory, "{} cannot be read: {}.", file_name, error.what());
  }
}

namespace {

std::optional<std::string> ConfigDirectory() {
  if (const auto directory = EnvString("XDG_CONFIG_HOME"); directory && directory->front() == '/') return *directory + "/tandem";
  if (const auto home = EnvString("HOME")) return *home + "/.config/tandem";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ConfigFilePath(std::string_view name) {
  const auto directory = ConfigDirectory();
  return directory ? std::optional<std::string>(*directory + "/" + std::string(name)) : std::nullopt;
}

Result<TracedSettings> ApplyConfigFile(const std::string& path, std::string_view application, const TracedSettings& base) {
  auto text = ReadConfigFile(path);
  if (!text.ok()) return std::move(text).error();
  return *text ? ApplyConfigText(**text, path, application, base) : base;
}

}  // namespace tandem::config
