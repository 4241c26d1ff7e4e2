#include "config/policy/policy_file.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "config/config_file.h"
#include "config/setting_table.h"
#include "config/toml.h"

namespace tandem::config {
namespace {

std::string AllowedKeys() {
  std::string text = fmt::format("match, lock, {}", kUseKey);
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

std::uint32_t LineOf(const toml::source_region& source) { return source.begin.line; }

struct TableFault {
  std::uint32_t line = 0;
  std::string sentence;
};
using Fault = std::optional<TableFault>;

// The texts of an array, or of a single text.
std::optional<std::vector<std::pair<std::string, std::uint32_t>>> TextsOf(const toml::node& node) {
  std::vector<std::pair<std::string, std::uint32_t>> texts;
  if (const auto* text = node.as_string()) texts.emplace_back(text->get(), LineOf(node.source()));
  if (const auto* array = node.as_array()) {
    for (const toml::node& one : *array) {
      const auto* const text = one.as_string();
      if (text == nullptr) return std::nullopt;
      texts.emplace_back(text->get(), LineOf(one.source()));
    }
  }
  if (texts.empty()) return std::nullopt;
  return texts;
}

class TableReader {
 public:
  TableReader(PolicyTable& table, Source source) : table_(table), source_(source) {}

  Fault Read(const toml::table& toml, bool names_programs) {
    for (const auto& [name, node] : toml) {
      const std::string_view key = name.str();
      Fault fault;
      if (key == "match" && names_programs) {
        fault = ReadMatch(node);
      } else if (key == "lock") {
        fault = ReadLocks(node);
      } else {
        fault = ReadValue(key, LineOf(name.source()), node);
      }
      if (fault) return fault;
    }
    return std::nullopt;
  }

 private:
  Fault ReadMatch(const toml::node& node) {
    const std::uint32_t line = LineOf(node.source());
    const auto texts = TextsOf(node);
    if (!texts || texts->size() > kMaxPatterns) {
      return TableFault{line, fmt::format("match is not an array of 1 to {} texts in quotes.", kMaxPatterns)};
    }
    for (const auto& [text, text_line] : *texts) {
      auto pattern = ParsePattern(text);
      if (!pattern.ok()) return TableFault{text_line, "match: " + pattern.error().message};
      table_.match.push_back(*std::move(pattern));
    }
    return std::nullopt;
  }

  Fault ReadLocks(const toml::node& node) {
    const std::uint32_t line = LineOf(node.source());
    if (source_ != Source::kAdministrator) return TableFault{line, "lock counts in the administrator's files alone."};
    const auto texts = TextsOf(node);
    if (!texts) return TableFault{line, "lock is not an array of keys in quotes."};
    for (const auto& [text, text_line] : *texts) {
      if (text != kUseKey && FindSetting(text) == nullptr) {
        return TableFault{text_line, fmt::format("lock: '{}' is not one of {}.", text, AllowedKeys())};
      }
      table_.locks.push_back({text, {}, text_line});
    }
    return std::nullopt;
  }

  Fault ReadValue(std::string_view key, std::uint32_t key_line, const toml::node& node) {
    const std::uint32_t line = LineOf(node.source());
    const Setting* const setting = FindSetting(key);
    if (setting == nullptr && key != kUseKey) {
      return TableFault{key_line, fmt::format("[{}] has a key '{}', which is not one of {}.", table_.name, key, AllowedKeys())};
    }
    const ValueType type = setting == nullptr ? ValueType::kText : setting->type;
    auto text = TextOf(node, type);
    if (!text) return TableFault{line, fmt::format("{} is not {}.", key, Wanted(type))};
    const Result<void> parsed = ParseValue(setting, *text);
    if (!parsed.ok()) return TableFault{line, fmt::format("{}: {}", key, parsed.error().message)};
    table_.lines.push_back({std::string(key), *std::move(text), line});
    return std::nullopt;
  }

  Result<void> ParseValue(const Setting* setting, std::string_view text) {
    if (text.empty()) return Fail(ErrorKind::kInvalidArgument, "The value is empty.");
    if (setting != nullptr) return setting->parse(scratch_, text);
    const auto use = ParseUse(text);
    return use.ok() ? Result<void>() : use.error();
  }

  PolicyTable& table_;
  const Source source_;
  Settings scratch_;
};

class FileReader {
 public:
  explicit FileReader(PolicyFile& file) : file_(file) {}

  void Read(const toml::table& root) {
    for (const auto& [name, node] : root) {
      const bool known = name == "default" || name == "app" || name == "adapter";
      if (!known || !node.is_table()) {
        AddFault(LineOf(name.source()),
                 fmt::format("'{}' is not one of the tables [default], [app.\"name\"], [adapter.\"selector\"].", name.str()));
      } else if (name == "adapter") {
        continue;  // ReadAdapterTags() has these
      } else if (name == "default") {
        ReadTable(*node.as_table(), "default", {});
      } else {
        ReadApps(*node.as_table());
      }
    }
    std::ranges::sort(file_.tables, {}, &PolicyTable::line);
    std::ranges::sort(file_.faults, {}, &PolicyFault::line);
  }

 private:
  void AddFault(std::uint32_t line, std::string sentence) { file_.faults.push_back({file_.path, line, std::move(sentence)}); }

  void ReadApps(const toml::table& apps) {
    for (const auto& [name, node] : apps) {
      const std::uint32_t line = LineOf(node.source());
      if (const toml::table* const table = node.as_table()) {
        ReadTable(*table, fmt::format("app.\"{}\"", name.str()), name.str());
      } else {
        AddFault(line, fmt::format("app.{} is not a table; write [app.\"{}\"].", name.str(), name.str()));
      }
    }
  }

  // `program` is empty for [default].
  void ReadTable(const toml::table& toml, std::string name, std::string_view program) {
    PolicyTable table{.name = std::move(name), .line = LineOf(toml.source()), .match = {}, .lines = {}, .locks = {}};
    const bool names_programs = table.name != "default";
    Fault fault = TableReader(table, file_.source).Read(toml, names_programs);
    if (!fault && names_programs && table.match.empty()) {
      auto pattern = ParsePattern(program);
      if (pattern.ok()) {
        table.match.push_back(*std::move(pattern));
      } else {
        fault = TableFault{table.line, pattern.error().message};
      }
    }
    if (fault) return AddFault(fault->line, std::move(fault->sentence));
    file_.tables.push_back(std::move(table));
  }

  PolicyFile& file_;
};

// "f.toml:3: sentence" in parts.
PolicyFault WholeFile(const std::string& path, const Error& error) {
  std::string_view sentence = error.message;
  if (sentence.starts_with(path + ":")) {
    sentence.remove_prefix(path.size() + 1);
    std::uint32_t line = 0;
    while (!sentence.empty() && sentence.front() >= '0' && sentence.front() <= '9') {
      line = line * 10 + static_cast<std::uint32_t>(sentence.front() - '0');
      sentence.remove_prefix(1);
    }
    if (sentence.starts_with(": ")) return {path, line, std::string(sentence.substr(2))};
  }
  return {path, 0, error.message};
}

}  // namespace

std::string PolicyFault::Text() const {
  if (line == 0) return sentence.starts_with(file) ? sentence : file + ": " + sentence;
  return fmt::format("{}:{}: {}", file, line, sentence);
}

PolicyFile ParsePolicyText(std::string_view text, std::string_view path, Source source) {
  PolicyFile file{.source = source, .path = std::string(path), .tables = {}, .faults = {}};
  const auto parsed = ParseToml(text, path);
  if (!parsed.ok()) {
    file.faults.push_back(WholeFile(file.path, parsed.error()));
    return file;
  }
  try {
    FileReader(file).Read(*parsed);
  } catch (const std::exception& error) {
    file.tables.clear();
    file.faults.assign(1, {file.path, 0, fmt::format("It cannot be read: {}.", error.what())});
  }
  return file;
}

}  // namespace tandem::config
