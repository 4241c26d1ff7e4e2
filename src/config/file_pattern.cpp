#include "config/file_pattern.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace tandem::config {
namespace {

// `text(part)` stands for each run of characters and each percent sign, `pid` and `program` for the placeholders.
template <class Text>
std::string Replaced(std::string_view pattern, std::string_view pid, std::string_view program, Text text) {
  std::string replaced;
  while (!pattern.empty()) {
    const std::size_t plain = std::min(pattern.find('%'), pattern.size());
    replaced += text(pattern.substr(0, plain));
    pattern.remove_prefix(plain);
    if (pattern.empty()) break;
    const char letter = pattern[1];
    replaced += letter == 'p' ? std::string(pid) : letter == 'e' ? std::string(program) : text("%");
    pattern.remove_prefix(2);
  }
  return replaced;
}

std::string GlobLiteral(std::string_view text) {
  std::string literal;
  for (const char c : text) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) literal += '\\';
    literal += c;
  }
  return literal;
}

}  // namespace

Result<void> CheckFilePattern(std::string_view pattern) {
  const std::size_t name = pattern.rfind('/') + 1;  // 0 without a folder
  for (std::size_t at = 0; (at = pattern.find('%', at)) != std::string_view::npos; at += 2) {
    const std::string_view placeholder = pattern.substr(at, 2);
    if (placeholder == "%%") continue;
    if (placeholder != "%p" && placeholder != "%e") {
      return Fail(ErrorKind::kInvalidArgument,
                  "'{}' in '{}' is none of %p (process id), %e (file name of the program) and %% (percent sign).", placeholder,
                  pattern);
    }
    if (at < name) {
      return Fail(ErrorKind::kInvalidArgument, "'{}' stands in a folder of '{}'; it is for the name of the file.", placeholder,
                  pattern);
    }
  }
  return {};
}

bool HasPlaceholders(std::string_view pattern) { return FileOfProgram(pattern, 0, "") != FileOfProgram(pattern, 1, "program"); }

std::string FileOfProgram(std::string_view pattern, pid_t pid, std::string_view program) {
  return Replaced(pattern, fmt::to_string(pid), program, [](std::string_view text) { return std::string(text); });
}

std::string GlobOfFiles(std::string_view pattern) { return Replaced(pattern, "[0-9]*", "*", GlobLiteral); }

std::string GlobOfFiles(std::string_view pattern, pid_t pid) { return Replaced(pattern, fmt::to_string(pid), "*", GlobLiteral); }

std::string PatternIn(const std::string& folder, const std::string& pattern) {
  if (pattern.starts_with('/')) return pattern;
  std::string escaped;
  for (const char c : folder) escaped += c == '%' ? "%%" : std::string(1, c);
  return escaped + (escaped.ends_with('/') ? "" : "/") + pattern;
}

}  // namespace tandem::config
