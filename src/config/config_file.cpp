#include "config/config_file.h"

#include <exception>
#include <utility>

#include "base/env.h"
#include "config/config_io.h"
#include "config/settings_key.h"
#include "config/toml.h"

namespace tandem::config {
namespace {

// Says in the file alone which programs Tandem serves.
constexpr std::string_view kUse = "use";

std::string AllowedKeys() {
  std::string text(kUse);
  for (const SettingKey& key : SettingKeys()) text += ", " + std::string(key.name);
  return text;
}

const SettingKey* FindKey(std::string_view name) {
  for (const SettingKey& key : SettingKeys()) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

std::string_view Wanted(SettingType type) {
  switch (type) {
    case SettingType::kText: return "a text in quotes";
    case SettingType::kTextOrIndex: return "a text in quotes or a whole number";
    case SettingType::kFlag: return "true or false";
  }
  return "";
}

// The value as the environment would have it; nothing when its type does not fit.
std::optional<std::string> TextOf(const toml::node& node, SettingType type) {
  if (type == SettingType::kFlag) {
    const auto* flag = node.as_boolean();
    return flag ? std::optional<std::string>(flag->get() ? "1" : "0") : std::nullopt;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer(); number && type == SettingType::kTextOrIndex) return std::to_string(number->get());
  return std::nullopt;
}

Result<void> ApplyUse(const toml::node& node, const TomlPlace& place, Settings& settings) {
  const auto word = node.value<std::string_view>().value_or("");
  if (word != "when-launched" && word != "never") {
    return Fail(ErrorKind::kInvalidArgument, "{}: {} is neither \"when-launched\" nor \"never\".", place.At(node.source()), kUse);
  }
  settings.leave_alone = word == "never";
  return {};
}

Result<void> ApplyTable(const toml::table& table, std::string_view table_name, const TomlPlace& place, Settings& settings) {
  for (const auto& [name, node] : table) {
    if (name.str() == kUse) {
      if (auto applied = ApplyUse(node, place, settings); !applied.ok()) return applied;
      continue;
    }
    const SettingKey* key = FindKey(name.str());
    if (!key) {
      return Fail(ErrorKind::kInvalidArgument, "{}: [{}] has a key '{}', which is not one of {}.", place.At(name.source()),
                  table_name, name.str(), AllowedKeys());
    }
    const auto text = TextOf(node, key->type);
    if (!text) {
      return Fail(ErrorKind::kInvalidArgument, "{}: {} is not {}.", place.At(node.source()), key->name, Wanted(key->type));
    }
    if (auto parsed = key->parse(settings, *text); !parsed.ok()) {
      return Fail(parsed.error().kind, "{}: {}: {}", place.At(node.source()), key->name, parsed.error().message);
    }
  }
  return {};
}

Result<void> ApplyApps(const toml::table& apps, std::string_view application, const TomlPlace& place, Settings& settings) {
  const toml::node* const node = apps.get(application);
  if (node == nullptr) return {};
  const toml::table* const table = node->as_table();
  if (table == nullptr) {
    return Fail(ErrorKind::kInvalidArgument, "{}: app.{} is not a table; write [app.\"{}\"].", place.At(node->source()),
                application, application);
  }
  return ApplyTable(*table, "app.\"" + std::string(application) + "\"", place, settings);
}

Result<Settings> Apply(const toml::table& root, std::string_view application, const TomlPlace& place, const Settings& base) {
  Settings settings = base;
  for (const auto& [name, node] : root) {
    if ((name != "default" && name != "app") || !node.is_table()) {
      return Fail(ErrorKind::kInvalidArgument, "{}: '{}' is not one of the tables [default], [app.\"name\"].",
                  place.At(name.source()), name.str());
    }
  }
  if (const toml::table* table = root["default"].as_table()) {
    if (auto applied = ApplyTable(*table, "default", place, settings); !applied.ok()) return std::move(applied).error();
  }
  if (const toml::table* table = root["app"].as_table()) {
    if (auto applied = ApplyApps(*table, application, place, settings); !applied.ok()) return std::move(applied).error();
  }
  return settings;
}

}  // namespace

Result<Settings> ApplyConfigText(std::string_view toml_text, std::string_view file_name, std::string_view application,
                                 const Settings& base) {
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

Result<Settings> ApplyConfigFile(const std::string& path, std::string_view application, const Settings& base) {
  auto text = ReadConfigFile(path);
  if (!text.ok()) return std::move(text).error();
  return *text ? ApplyConfigText(**text, path, application, base) : base;
}

}  // namespace tandem::config
