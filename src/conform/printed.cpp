#include "conform/printed.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace tandem::conform {
namespace {

constexpr std::string_view kSummary = "SUMMARY: ";
constexpr std::string_view kRace = "WARNING: ThreadSanitizer: data race";
constexpr std::string_view kPlace = "ThreadSanitizer: data race ";
constexpr std::string_view kEndOfReport = "\nSUMMARY: ";
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

// Calls `part(text, is_race)` with what was printed in its order: a whole report of a data race, or what lies between two. A
// report that is cut off is none.
template <class Part>
void ForEachPart(std::string_view printed, Part part) {
  while (!printed.empty()) {
    const std::size_t race = std::min(printed.find(kRace), printed.size());
    const std::size_t summary = printed.find(kEndOfReport, race);
    const std::size_t next = printed.find(kRace, std::min(race + 1, printed.size()));
    if (summary == std::string_view::npos || summary > next) {
      part(printed.substr(0, next), false);
      printed.remove_prefix(std::min(next, printed.size()));
      continue;
    }
    const std::size_t end = std::min(printed.find('\n', summary + 1), printed.size() - 1) + 1;
    if (race > 0) part(printed.substr(0, race), false);
    part(printed.substr(race, end - race), true);
    printed.remove_prefix(end);
  }
}

// True if the report has a frame of the module in one of its accesses. Places of memory, mutexes and threads follow those.
bool HasAccessOf(std::string_view in_module, std::string_view report) {
  bool is_access = false;
  for (const std::string_view line : Lines(report)) {
    if (line.starts_with("  ") && !line.starts_with("    "))
      is_access = line.find(" of size ") != std::string_view::npos && !line.starts_with("  Location");
    if (is_access && line.find(in_module) != std::string_view::npos) return true;
  }
  return false;
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

Races TakeRaces(std::string_view printed) {
  Races races;
  ForEachPart(printed, [&](std::string_view text, bool is_race) {
    (is_race ? races.reports : races.others) += text;
    if (!is_race) return;
    std::string place = SanitizerReport(text);
    if (place.starts_with(kPlace)) place.erase(0, kPlace.size());
    if (std::ranges::find(races.places, place) == races.places.end()) races.places.push_back(std::move(place));
  });
  return races;
}

std::string WithoutOthersRaces(std::string_view printed, std::string_view module) {
  const std::string in_module = fmt::format("({}+0x", module);
  std::string kept;
  ForEachPart(printed, [&](std::string_view text, bool is_race) {
    if (!is_race || HasAccessOf(in_module, text)) kept += text;
  });
  return kept;
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
