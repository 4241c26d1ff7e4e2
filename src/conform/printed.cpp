#include "conform/printed.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace tandem::conform {
namespace {

constexpr std::string_view kSummary = "SUMMARY: ";
constexpr std::string_view kRace = "WARNING: ThreadSanitizer: data race";
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

std::string WithoutOthersRaces(std::string_view printed, std::string_view module) {
  const std::string in_module = fmt::format("({}+0x", module);
  std::string kept, report;
  bool is_report = false, is_own = false, is_access = false;
  for (const std::string_view line : Lines(printed)) {
    if (line.find(kRace) != std::string_view::npos) {
      kept += report;  // cut off
      report.clear();
      is_report = is_access = true;
      is_own = false;
    }
    if (!is_report) {
      kept.append(line) += '\n';
      continue;
    }
    report.append(line) += '\n';
    // Places of memory, mutexes and threads follow the accesses.
    if (line.starts_with("  ") && !line.starts_with("    "))
      is_access = line.find(" of size ") != std::string_view::npos && !line.starts_with("  Location");
    is_own = is_own || (is_access && line.find(in_module) != std::string_view::npos);
    if (!line.starts_with(kSummary)) continue;
    if (is_own) kept += report;
    report.clear();
    is_report = false;
  }
  return kept + report;
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
