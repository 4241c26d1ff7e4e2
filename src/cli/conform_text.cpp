#include "cli/conform_text.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <fmt/format.h>

namespace tandem::cli {
namespace {

using conform::Rule;
using conform::Verdict;

constexpr std::size_t kNameColumns = 46;
// From here on a line has room for a sentence beside the name.
constexpr std::size_t kWideColumns = 110;

struct Mark {
  const char* word;
  Ink ink;
};

Mark MarkOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass: return {"pass", Ink::kGood};
    case Verdict::kFail: return {"FAIL", Ink::kBad};
    case Verdict::kNotApplicable: break;
  }
  return {"n/a ", Ink::kFaint};
}

std::string Detail(const Rule& rule, const conform::Outcome& outcome, const TextStyle& style) {
  std::string text = Wrapped("        rule    ", rule.sentence, style) + Wrapped("        seen    ", outcome.seen, style) +
                     Wrapped("        source  ", rule.source, style);
  if (!rule.decides.empty()) text += Wrapped("        decides ", rule.decides, style);
  return text;
}

std::string_view SubjectOf(const Rule& rule) { return rule.id.substr(0, rule.id.find('.')); }

struct Counts {
  std::array<std::size_t, 3> of_verdict{};  // by Verdict
  std::size_t& of(Verdict verdict) { return of_verdict[static_cast<std::size_t>(verdict)]; }
  [[nodiscard]] std::size_t of(Verdict verdict) const { return of_verdict[static_cast<std::size_t>(verdict)]; }
};

std::string Number(std::size_t number, Ink ink, const TextStyle& style) {
  return number == 0 ? fmt::format("{:>6}", "-") : Painted(fmt::format("{:>6}", number), ink, style);
}

std::string Row(std::string_view name, const Counts& counts, const TextStyle& style) {
  return fmt::format("  {:<16}{}{}{}\n", name, Number(counts.of(Verdict::kPass), Ink::kGood, style),
                     Number(counts.of(Verdict::kFail), Ink::kBad, style),
                     Number(counts.of(Verdict::kNotApplicable), Ink::kFaint, style));
}

// In the order in which they were tried.
std::string Subjects(std::span<const TrialResult> results, const Counts& all, const TextStyle& style) {
  std::vector<std::string_view> order;
  std::map<std::string_view, Counts> counts;
  for (const TrialResult& result : results) {
    const std::string_view subject = SubjectOf(*result.trial.rule);
    if (counts.find(subject) == counts.end()) order.push_back(subject);
    ++counts[subject].of(result.outcome.verdict);
  }
  std::string text = Painted(fmt::format("  {:<16}{:>6}{:>6}{:>6}\n", "", "pass", "FAIL", "n/a"), Ink::kStrong, style);
  for (const std::string_view subject : order) text += Row(subject, counts[subject], style);
  return text + Row("all", all, style);
}

// Each reason once, with the rules that it keeps away.
std::string NotApplicable(std::span<const TrialResult> results, const TextStyle& style) {
  std::vector<std::string_view> reasons;
  std::map<std::string_view, std::string> rules;
  for (const TrialResult& result : results) {
    if (result.outcome.verdict != Verdict::kNotApplicable) continue;
    std::string& names = rules[result.outcome.seen];
    if (names.empty()) reasons.push_back(result.outcome.seen);
    const std::string_view id = result.trial.rule->id;
    if (names.find(id) == std::string::npos) names += (names.empty() ? "" : " ") + std::string(id);
  }
  std::string text;
  for (const std::string_view reason : reasons) {
    text += Wrapped("  ", reason, style) + Painted(Wrapped("      ", rules[reason], style), Ink::kFaint, style);
  }
  return text.empty() ? text : "\nWhat could not be tried, and why\n" + text;
}

std::string Broken(std::span<const TrialResult> results, const TextStyle& style) {
  std::string text;
  for (const TrialResult& result : results) {
    if (result.outcome.verdict != Verdict::kFail) continue;
    text += "  " + Painted(result.trial.name(), Ink::kBad, style) + "\n" + Detail(*result.trial.rule, result.outcome, style);
  }
  return text.empty() ? text : "\nWhat is broken\n" + text;
}

std::string Decided(std::span<const TrialResult> results, const TextStyle& style) {
  std::string ids;
  for (const TrialResult& result : results) {
    const Rule& rule = *result.trial.rule;
    if (rule.decides.empty() || result.outcome.verdict == Verdict::kNotApplicable || ids.find(rule.id) != std::string::npos)
      continue;
    ids += (ids.empty() ? "" : " ") + std::string(rule.id);
  }
  if (ids.empty()) return ids;
  return "\nWhere the published texts disagree, these rules decide (--list says how)\n" +
         Painted(Wrapped("  ", ids, style), Ink::kFaint, style);
}

std::string Rules(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string Verdicts(const std::string& driver, const Counts& all, std::int64_t duration_ns, const TextStyle& style) {
  const std::size_t broken = all.of(Verdict::kFail), held = all.of(Verdict::kPass);
  const std::string head =
      broken != 0 ? fmt::format("{} does not conform: {}", driver, Rules(broken, "rule is broken", "rules are broken"))
      : held != 0 ? fmt::format("{} conforms: no rule is broken", driver)
                  : fmt::format("{}: no rule could be tried", driver);
  return fmt::format("\n{}, {}, {} ({:.1f} s).\n",
                     Painted(head,
                             broken != 0 ? Ink::kBad
                             : held != 0 ? Ink::kGood
                                         : Ink::kStrong,
                             style),
                     Rules(held, "holds", "hold"), Rules(all.of(Verdict::kNotApplicable), "does not apply", "do not apply"),
                     static_cast<double>(duration_ns) * 1e-9);
}

}  // namespace

std::string ToText(const TrialResult& result, const TextStyle& style) {
  const Rule& rule = *result.trial.rule;
  const auto [word, ink] = MarkOf(result.outcome.verdict);
  const bool applies = result.outcome.verdict != Verdict::kNotApplicable;
  std::string line = Painted(word, ink, style) + "  ";
  if (style.width < kWideColumns) {
    line += Cut(result.trial.name(), style.width - 6);
  } else {
    const std::string_view said = applies ? rule.sentence : std::string_view(result.outcome.seen);
    line += fmt::format("{:<{}} ", Cut(result.trial.name(), kNameColumns), kNameColumns) +
            Painted(Cut(said, style.width - kNameColumns - 7), applies ? Ink::kPlain : Ink::kFaint, style);
  }
  line += '\n';
  return result.outcome.verdict == Verdict::kFail ? line + Wrapped("      ", result.outcome.seen, style) : line;
}

std::string Summary(std::span<const TrialResult> results, const TextStyle& style) {
  Counts all;
  std::int64_t duration_ns = 0;
  for (const TrialResult& result : results) {
    ++all.of(result.outcome.verdict);
    duration_ns += result.duration_ns;
  }
  if (results.empty()) return {};
  const std::string& driver = results.front().driver;
  return "\n" + Painted(driver, Ink::kStrong, style) + "\n" + Subjects(results, all, style) + NotApplicable(results, style) +
         Decided(results, style) + Broken(results, style) + Verdicts(driver, all, duration_ns, style);
}

std::string ListOfRules(std::span<const conform::Trial> plan, const TextStyle& style) {
  std::string text;
  for (const conform::Trial& trial : plan) {
    text += Painted(trial.name(), Ink::kStrong, style) + "\n" + Wrapped("    ", trial.rule->sentence, style) +
            Wrapped("    Source:  ", trial.rule->source, style);
    if (!trial.rule->decides.empty()) text += Wrapped("    Decides: ", trial.rule->decides, style);
  }
  return text;
}

}  // namespace tandem::cli
