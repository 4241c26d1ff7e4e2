#include "cli/doctor_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/printable.h"

namespace tandem::cli {
namespace {

const char* WordOf(FindingState state) {
  switch (state) {
    case FindingState::kOk: return "ok";
    case FindingState::kWarning: return "warning";
    case FindingState::kBroken: break;
  }
  return "broken";
}

Ink InkOf(FindingState state) {
  switch (state) {
    case FindingState::kOk: return Ink::kGood;
    case FindingState::kWarning: return Ink::kStrong;
    case FindingState::kBroken: break;
  }
  return Ink::kBad;
}

}  // namespace

std::size_t CountOf(const std::vector<FindingGroup>& groups, FindingState state) {
  std::size_t count = 0;
  for (const FindingGroup& group : groups)
    count += static_cast<std::size_t>(std::ranges::count(group.findings, state, &Finding::state));
  return count;
}

// The word of the state is painted after the lines are broken, because colours have no width.
std::string DoctorText(const std::vector<FindingGroup>& groups, const TextStyle& style) {
  std::string text;
  for (const FindingGroup& group : groups) {
    if (group.findings.empty()) continue;
    text += (text.empty() ? "" : "\n") + Painted(group.title, Ink::kStrong, style) + "\n";
    for (const Finding& finding : group.findings) {
      const std::string word = WordOf(finding.state);
      const std::string head = fmt::format("  {:<9}", word);
      std::string lines = Wrapped(head, Escaped(finding.text), style);
      text += "  " + Painted(word, InkOf(finding.state), style) + lines.substr(2 + word.size());
      if (!finding.advice.empty()) text += Wrapped(std::string(head.size(), ' ') + "-> ", Escaped(finding.advice), style);
    }
  }
  const std::size_t broken = CountOf(groups, FindingState::kBroken), warnings = CountOf(groups, FindingState::kWarning);
  text += fmt::format("\n{} ok, {} warning{}, {} broken.\n", CountOf(groups, FindingState::kOk), warnings,
                      warnings == 1 ? "" : "s", broken);
  return text;
}

std::string DoctorJson(const std::vector<FindingGroup>& groups) {
  auto list = nlohmann::ordered_json::array();
  for (const FindingGroup& group : groups) {
    for (const Finding& finding : group.findings) {
      nlohmann::ordered_json line{{"id", finding.id},
                                  {"group", group.title},
                                  {"state", WordOf(finding.state)},
                                  {"text", finding.text},
                                  {"advice", nullptr}};
      if (!finding.advice.empty()) line["advice"] = finding.advice;
      list.push_back(std::move(line));
    }
  }
  const nlohmann::ordered_json all{{"findings", list},
                                   {"ok", CountOf(groups, FindingState::kOk)},
                                   {"warnings", CountOf(groups, FindingState::kWarning)},
                                   {"broken", CountOf(groups, FindingState::kBroken)}};
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tandem::cli
