// Changing one entry of the feature file, line by line, so that everything else stays as its owner wrote it.
#include <algorithm>
#include <array>
#include <utility>

#include "config/feature_file.h"
#include "config/toml.h"

namespace tandem::config {
namespace {

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// In the order of FeatureKeys(); nothing for a key that is not set.
std::array<std::optional<std::string>, 4> TextsOf(const FeatureValues& values) {
  const auto flag = [](std::optional<bool> value) {
    return value ? std::optional<std::string>(*value ? "true" : "false") : std::nullopt;
  };
  const auto number = [](std::optional<std::uint16_t> value) {
    return value ? std::optional<std::string>(std::to_string(*value)) : std::nullopt;
  };
  return {flag(values.enabled), number(values.min_version), number(values.max_version), flag(values.allow_experimental)};
}

// A basic string: a selector has no control characters, and quotes and backslashes are escaped.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string HeaderOf(const FeatureEntry& entry) {
  return entry.adapter.empty() ? "[all." + entry.feature + "]" : "[adapter." + Quoted(entry.adapter) + "." + entry.feature + "]";
}

const toml::table* FindTable(const toml::table& root, const FeatureEntry& entry) {
  const toml::table* features = nullptr;
  if (entry.adapter.empty()) {
    features = root["all"].as_table();
  } else if (const toml::table* adapters = root["adapter"].as_table()) {
    features = (*adapters)[entry.adapter].as_table();
  }
  return features == nullptr ? nullptr : (*features)[entry.feature].as_table();
}

// The value of a "key = value" line, with what follows it kept: no value of this file has a '#' in it.
std::string WithValue(std::string_view line, std::string_view key, std::string_view value) {
  const std::size_t comment = line.find('#');
  std::string changed = std::string(key) + " = " + std::string(value);
  if (comment != std::string_view::npos) changed += "  " + std::string(line.substr(comment));
  return changed;
}

// Lines of `table` with the values in place; line numbers start at 1. A line that goes is emptied of its text and marked.
void ChangeTable(std::vector<std::string>& lines, const toml::table& table, const FeatureEntry& entry) {
  const std::size_t header = table.source().begin.line - 1;
  std::vector<bool> gone(lines.size());
  std::vector<std::string> added;
  const auto texts = TextsOf(entry.values);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string_view key = FeatureKeys()[i];
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      if (texts[i]) added.push_back(std::string(key) + " = " + *texts[i]);
      continue;
    }
    const std::size_t line = node->source().begin.line - 1;
    if (line >= lines.size()) continue;
    if (texts[i]) lines[line] = WithValue(lines[line], key, *texts[i]);
    gone[line] = !texts[i];
  }
  if (entry.values.empty() && header < gone.size()) gone[header] = true;
  std::vector<std::string> kept;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    // One set of empty lines stays where a table goes.
    const bool second_gap = line > 0 && gone[line - 1] && lines[line].empty() && (kept.empty() || kept.back().empty());
    if (second_gap) gone[line] = true;
    if (!gone[line]) kept.push_back(std::move(lines[line]));
    if (line == header) kept.insert(kept.end(), added.begin(), added.end());
  }
  lines = std::move(kept);
}

bool SameSet(const std::vector<FeatureEntry>& a, const std::vector<FeatureEntry>& b) { return std::ranges::is_permutation(a, b); }

std::vector<FeatureEntry> Expected(std::vector<FeatureEntry> entries, const FeatureEntry& entry) {
  std::erase_if(entries, [&](const FeatureEntry& other) {
    return other.values.empty() || (other.adapter == entry.adapter && other.feature == entry.feature);
  });
  if (!entry.values.empty()) entries.push_back(entry);
  return entries;
}

}  // namespace

Result<std::string> WithFeatureEntry(std::string_view text, std::string_view file_name, const FeatureEntry& entry) {
  const auto before = ParseFeatureText(text, file_name);
  if (!before.ok()) return before.error();
  const auto root = ParseToml(text, file_name);
  if (!root.ok()) return root.error();
  std::vector<std::string> lines = LinesOf(text);
  if (const toml::table* table = FindTable(*root, entry)) {
    ChangeTable(lines, *table, entry);
  } else if (!entry.values.empty()) {
    if (!lines.empty() && !lines.back().empty()) lines.emplace_back();
    lines.push_back(HeaderOf(entry));
    const auto texts = TextsOf(entry.values);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i]) lines.push_back(std::string(FeatureKeys()[i]) + " = " + *texts[i]);
    }
  }
  std::string changed = Joined(lines);
  // The edited lines must say what was asked for; otherwise the file is left alone.
  auto after = ParseFeatureText(changed, file_name);
  if (after.ok()) std::erase_if(*after, [](const FeatureEntry& other) { return other.values.empty(); });
  if (!after.ok() || !SameSet(*after, Expected(*before, entry))) {
    return Fail(ErrorKind::kUnsupported, "{} writes {} in a way that cannot be changed line by line; change it by hand.",
                file_name, entry.feature);
  }
  return changed;
}

}  // namespace tandem::config
