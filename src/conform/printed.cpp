#include "conform/printed.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace tandem::conform {
namespace {

constexpr std::string_view kSummary = "SUMMARY: ";
constexpr std::string_view kUndefined = ": runtime error: ";

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// "==123==ERROR: AddressSanitizer: …", "WARNING: ThreadSanitizer: …", "driver.c:12:3: runtime error: …".
bool BeginsReport(std::string_view line) {
  if (line.find(kUndefined) != std::string_view::npos) return true;
  const bool told = line.find("ERROR: ") != std::string_view::npos || line.find("WARNING: ") != std::string_view::npos;
  return told && line.find("Sanitizer: ") != std::string_view::npos;
}

std::string Shown(std::string_view line) {
  std::string shown(line);
  std::ranges::replace_if(
      shown, [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F; }, '?');
  return shown + '\n';
}

}  // namespace

std::string SanitizerReport(std::string_view printed) {
  for (const std::string_view line : Lines(printed)) {
    // The summary of the first report comes before any second one.
    if (line.starts_with(kSummary) && line.find("Sanitizer: ") != std::string_view::npos) {
      return std::string(line.substr(kSummary.size()));
    }
    if (const std::size_t at = line.find(kUndefined); at != std::string_view::npos) {
      return fmt::format("UndefinedBehaviorSanitizer: {}, {}", line.substr(0, at), line.substr(at + kUndefined.size()));
    }
  }
  return {};
}

std::string Printable(std::string_view printed) {
  std::string text;
  for (const std::string_view line : Lines(printed)) text += Shown(line);
  return text;
}

std::string Excerpt(std::string_view printed, std::size_t lines) {
  const std::vector<std::string_view> all = Lines(printed);
  auto begin = std::ranges::find_if(all, &BeginsReport);
  if (begin == all.end()) begin = all.end() - static_cast<std::ptrdiff_t>(std::min(lines, all.size()));
  std::string text;
  for (auto line = begin; line != all.end() && lines > 0; ++line, --lines) {
    if (line->starts_with("Shadow bytes around")) break;  // useful only to the sanitizer's developers
    text += Shown(*line);
  }
  return text;
}

}  // namespace tandem::conform
