#include "config/feature_file.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <utility>

#include "config/config_file.h"
#include "config/config_io.h"
#include "config/selector.h"
#include "config/setting_values.h"
#include "config/toml.h"

namespace tandem::config {
namespace {

constexpr const char* kTables = "[all.FEATURE], [adapter.\"SELECTOR\".FEATURE]";

std::string KeyList() {
  std::string text;
  for (const std::string_view key : FeatureKeys()) text += (text.empty() ? "" : ", ") + std::string(key);
  return text;
}

Result<std::uint16_t> ParseVersion(std::string_view text) {
  std::uint16_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version == 0) {
    return Fail(ErrorKind::kInvalidArgument, "'{}' is not a version from 1 to 65535.", text);
  }
  return version;
}

Result<FeatureValues> ReadValues(const toml::table& table, std::string_view name, const TomlPlace& place) {
  FeatureValues values;
  for (const auto& [key, node] : table) {
    std::string text;
    if (const auto* flag = node.as_boolean()) text = flag->get() ? "true" : "false";
    if (const auto* number = node.as_integer()) text = std::to_string(number->get());
    if (text.empty()) {
      return Fail(ErrorKind::kInvalidArgument, "{}: {} of {} is neither true, false nor a whole number.", place.At(node.source()),
                  key.str(), name);
    }
    if (Result<void> set = SetFeatureValue(values, key.str(), text); !set.ok()) {
      return std::move(set).error().Context(place.At(node.source()));
    }
  }
  return values;
}

Result<void> ReadFeatures(const toml::table& table, const std::string& adapter, const TomlPlace& place,
                          std::vector<FeatureEntry>& entries) {
  for (const auto& [name, node] : table) {
    const toml::table* values = node.as_table();
    if (values == nullptr) {
      return Fail(ErrorKind::kInvalidArgument, "{}: {} is not a table; there are {}.", place.At(node.source()), name.str(),
                  kTables);
    }
    auto read = ReadValues(*values, name.str(), place);
    if (!read.ok()) return std::move(read).error();
    entries.push_back({adapter, std::string(name.str()), *read});
  }
  return {};
}

Result<std::vector<FeatureEntry>> ReadRoot(const toml::table& root, const TomlPlace& place) {
  std::vector<FeatureEntry> entries;
  for (const auto& [name, node] : root) {
    const toml::table* table = node.as_table();
    if (table == nullptr || (name != "all" && name != "adapter")) {
      return Fail(ErrorKind::kInvalidArgument, "{}: '{}' is none of the tables {}.", place.At(name.source()), name.str(),
                  kTables);
    }
    if (name == "all") {
      if (auto read = ReadFeatures(*table, {}, place, entries); !read.ok()) return std::move(read).error();
      continue;
    }
    for (const auto& [selector, features] : *table) {
      if (const auto parsed = ParseSelector(selector.str()); !parsed.ok()) {
        return parsed.error().Context(place.At(selector.source()));
      }
      if (!features.is_table()) {
        return Fail(ErrorKind::kInvalidArgument, "{}: {} is not a table; there are {}.", place.At(features.source()),
                    selector.str(), kTables);
      }
      auto read = ReadFeatures(*features.as_table(), std::string(selector.str()), place, entries);
      if (!read.ok()) return std::move(read).error();
    }
  }
  return entries;
}

}  // namespace

const std::vector<std::string_view>& FeatureKeys() {
  static const std::vector<std::string_view> keys = {"enabled", "min_version", "max_version", "allow_experimental"};
  return keys;
}

Result<void> SetFeatureValue(FeatureValues& values, std::string_view key, std::string_view text) {
  if (key == "enabled" || key == "allow_experimental") {
    const auto flag = ParseFlag(text);
    if (!flag.ok()) return flag.error().Context(key);
    (key == "enabled" ? values.enabled : values.allow_experimental) = *flag;
    return {};
  }
  if (key == "min_version" || key == "max_version") {
    const auto version = ParseVersion(text);
    if (!version.ok()) return version.error().Context(key);
    (key == "min_version" ? values.min_version : values.max_version) = *version;
    return {};
  }
  return Fail(ErrorKind::kInvalidArgument, "'{}' is none of {}.", key, KeyList());
}

Result<void> ClearFeatureValue(FeatureValues& values, std::string_view key) {
  if (key == "enabled") {
    values.enabled.reset();
  } else if (key == "min_version") {
    values.min_version.reset();
  } else if (key == "max_version") {
    values.max_version.reset();
  } else if (key == "allow_experimental") {
    values.allow_experimental.reset();
  } else {
    return Fail(ErrorKind::kInvalidArgument, "'{}' is none of {}.", key, KeyList());
  }
  return {};
}

Result<std::vector<FeatureEntry>> ParseFeatureText(std::string_view text, std::string_view file_name) {
  const auto parsed = ParseToml(text, file_name);
  if (!parsed.ok()) return parsed.error();
  try {
    return ReadRoot(*parsed, TomlPlace{file_name});
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kOutOfMemory, "{} cannot be read: {}.", file_name, error.what());
  }
}

std::optional<std::string> FeatureFilePath() { return ConfigFilePath("features.toml"); }

Result<std::vector<FeatureEntry>> ReadFeatureFile(const std::string& path) {
  auto text = ReadConfigFile(path);
  if (!text.ok()) return std::move(text).error();
  return *text ? ParseFeatureText(**text, path) : std::vector<FeatureEntry>();
}

Result<void> ChangeFeatureFile(const std::string& path, const FeatureEntry& entry) {
  auto text = ReadConfigFile(path);
  if (!text.ok()) return std::move(text).error();
  auto changed = WithFeatureEntry(text->value_or(std::string()), path, entry);
  if (!changed.ok()) return std::move(changed).error();
  return ReplaceConfigFile(path, *changed);
}

}  // namespace tandem::config
