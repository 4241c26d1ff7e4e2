#include "config/toml_edit.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>

#include "config/toml.h"

namespace tandem::config {
namespace {

// Parted at line feeds: joined with them, the lines are the text again. An empty text has no line.
std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty() || !lines.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "" : "\n") + lines[i];
  return text;
}

bool IsBlank(std::string_view line) { return line.empty() || line == "\r"; }

// The place of the comment of a "key = value" line, or its end.
std::size_t CommentOf(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') {
        ++i;
      } else if (c == quote) {
        quote = 0;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      return i;
    }
  }
  return line.size();
}

// Indentation, comment and line end of `line` stay.
std::string WithValue(std::string_view line, std::string_view key, std::string_view value) {
  const std::string_view end = line.ends_with('\r') ? "\r" : "";
  line.remove_suffix(end.size());
  const std::string_view indentation = line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
  std::string changed = std::string(indentation) + std::string(key) + " = " + std::string(value);
  if (const std::size_t comment = CommentOf(line); comment < line.size()) changed += "  " + std::string(line.substr(comment));
  return changed + std::string(end);
}

const toml::table* FindTable(const toml::table& root, const std::vector<std::string>& path) {
  const toml::table* at = &root;
  for (const std::string& key : path) {
    if (at != nullptr) at = (*at)[key].as_table();
  }
  return at;
}

// Lines of `table`, whose header stands at its own line; line numbers start at 1.
void ChangeTable(std::vector<std::string>& lines, const toml::table& table, const TableEdit& edit) {
  const std::size_t header = table.source().begin.line - 1;
  const std::string end = header < lines.size() && lines[header].ends_with('\r') ? "\r" : "";
  std::vector<bool> gone(lines.size());
  std::vector<std::string> added;
  std::size_t left = table.size();
  for (const auto& [key, text] : edit.values) {
    const toml::node* const node = table.get(key);
    if (node == nullptr) {
      if (text) added.push_back(std::string(key) + " = " + *text + end);
      continue;
    }
    if (!text) --left;
    const std::size_t line = node->source().begin.line - 1;
    if (line >= lines.size()) continue;
    if (text) lines[line] = WithValue(lines[line], key, *text);
    gone[line] = !text;
  }
  if (left == 0 && added.empty() && header < gone.size()) gone[header] = true;
  std::vector<std::string> kept;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    // One set of empty lines stays where a table goes.
    const bool last = line + 1 == lines.size();
    const bool second_gap = line > 0 && gone[line - 1] && IsBlank(lines[line]) && (kept.empty() || IsBlank(kept.back()));
    if (second_gap && !last) gone[line] = true;
    if (!gone[line]) kept.push_back(std::move(lines[line]));
    if (line == header) kept.insert(kept.end(), added.begin(), added.end());
  }
  lines = std::move(kept);
}

void AppendTable(std::vector<std::string>& lines, const TableEdit& edit) {
  const std::string end = lines.size() > 1 && lines.front().ends_with('\r') ? "\r" : "";
  if (!lines.empty() && lines.back().empty()) {
    lines.pop_back();
  } else if (!lines.empty() && !lines.back().ends_with('\r')) {
    lines.back() += end;
  }
  if (!lines.empty() && !IsBlank(lines.back())) lines.push_back(end);
  lines.push_back(edit.header + end);
  for (const auto& [key, text] : edit.values) {
    if (text) lines.push_back(std::string(key) + " = " + *text + end);
  }
  lines.emplace_back();
}

// Takes tables without keys out, innermost first.
void Prune(toml::table& table) {
  std::vector<std::string> empty;
  for (auto&& [key, node] : table) {
    toml::table* const inner = node.as_table();
    if (inner == nullptr) continue;
    Prune(*inner);
    if (inner->empty()) empty.emplace_back(key.str());
  }
  for (const std::string& key : empty) table.erase(key);
}

Result<toml::table> Expected(toml::table root, const TableEdit& edit) {
  toml::table* at = &root;
  for (const std::string& key : edit.path) at = at->insert(key, toml::table{}).first->second.as_table();
  for (const auto& [key, text] : edit.values) {
    at->erase(key);
    if (!text) continue;
    auto value = ParseToml("value = " + *text, key);
    if (!value.ok()) return std::move(value).error();
    at->insert(key, *value->get("value"));
  }
  Prune(root);
  return root;
}

// Nothing for a text that does not say what was asked for.
Result<std::optional<std::string>> Edited(std::string_view text, std::string_view file_name, const TableEdit& edit) {
  const auto root = ParseToml(text, file_name);
  if (!root.ok()) return root.error();
  for (std::size_t depth = 1; depth <= edit.path.size(); ++depth) {
    const toml::table* const outer = FindTable(*root, {edit.path.begin(), edit.path.begin() + static_cast<long>(depth) - 1});
    const toml::node* const node = outer == nullptr ? nullptr : outer->get(edit.path[depth - 1]);
    if (node != nullptr && !node->is_table()) return std::optional<std::string>();
  }
  std::vector<std::string> lines = LinesOf(text);
  const bool sets = std::ranges::any_of(edit.values, [](const TableEdit::Value& value) { return value.text.has_value(); });
  if (const toml::table* const table = FindTable(*root, edit.path)) {
    ChangeTable(lines, *table, edit);
  } else if (sets) {
    AppendTable(lines, edit);
  }
  std::string changed = Joined(lines);
  const auto expected = Expected(*root, edit);
  if (!expected.ok()) return expected.error();
  auto after = ParseToml(changed, file_name);
  if (!after.ok()) return std::optional<std::string>();
  Prune(*after);
  if (*after != *expected) return std::optional<std::string>();
  return std::optional(std::move(changed));
}

}  // namespace

std::string QuotedToml(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

Result<std::string> WithTableValues(std::string_view text, std::string_view file_name, const TableEdit& edit) {
  try {
    auto changed = Edited(text, file_name, edit);
    if (!changed.ok()) return std::move(changed).error();
    if (*changed) return *std::move(*changed);
    return Fail(ErrorKind::kUnsupported, "{} writes {} in a way that cannot be changed line by line; change it by hand.",
                file_name, edit.path.back());
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kOutOfMemory, "{} cannot be changed: {}.", file_name, error.what());
  }
}

}  // namespace tandem::config
