#include "cli/conform_text.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "conform/printed.h"

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
  std::string text = Wrapped("        rule    ", rule.sentence, style);
  if (!outcome.seen.empty()) text += Wrapped("        seen    ", outcome.seen, style);
  text += Wrapped("        source  ", rule.source, style);
  if (!rule.decides.empty()) text += Wrapped("        decides ", rule.decides, style);
  return text;
}

std::string NameAndSeed(const conform::Trial& trial) {
  return trial.seed == conform::kFirstSeed ? trial.name() : fmt::format("{} (seed {})", trial.name(), trial.seed);
}

// Each line behind a bar, cut at the width.
std::string Quoted(std::string_view printed, const TextStyle& style) {
  constexpr std::string_view kBar = "      | ";
  std::string text;
  while (!printed.empty()) {
    const std::size_t end = std::min(printed.find('\n'), printed.size());
    text += Painted(std::string(kBar) + Cut(printed.substr(0, end), style.width - kBar.size()), Ink::kFaint, style) + "\n";
    printed.remove_prefix(std::min(end + 1, printed.size()));
  }
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

// Trials that saw the same, in the order of the first of each.
std::vector<std::vector<const TrialResult*>> EqualFailures(std::span<const TrialResult> results) {
  std::vector<std::vector<const TrialResult*>> groups;
  for (const TrialResult& result : results) {
    if (result.outcome.verdict != Verdict::kFail) continue;
    const auto same = [&result](const auto& group) { return group.front()->outcome.seen == result.outcome.seen; };
    const auto group = std::ranges::find_if(groups, same);
    if (group == groups.end()) {
      groups.push_back({&result});
    } else {
      group->push_back(&result);
    }
  }
  return groups;
}

std::string Broken(std::span<const TrialResult> results, const TextStyle& style) {
  std::string text;
  for (const auto& group : EqualFailures(results)) {
    const TrialResult& first = *group.front();
    if (group.size() == 1) {
      text += "  " + Painted(NameAndSeed(first.trial), Ink::kBad, style) + "\n" + Detail(*first.trial.rule, first.outcome, style);
      continue;
    }
    std::string names;
    for (const TrialResult* result : group) names += (names.empty() ? "" : ", ") + NameAndSeed(result->trial);
    text += "  " + Painted(fmt::format("{} trials see the same", group.size()), Ink::kBad, style) + "\n" +
            Wrapped("        seen    ", first.outcome.seen, style) + Wrapped("        trials  ", names, style);
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

// "seed 1", or from which to which.
std::string Seeds(std::span<const TrialResult> results) {
  std::uint32_t first = results.front().trial.seed, last = first;
  for (const TrialResult& result : results) {
    first = std::min(first, result.trial.seed);
    last = std::max(last, result.trial.seed);
  }
  return first == last ? fmt::format("seed {}", first) : fmt::format("seeds {} to {}", first, last);
}

std::string Verdicts(const std::string& driver, const Counts& all, std::int64_t duration_ns, const std::string& seeds,
                     const TextStyle& style) {
  const std::size_t broken = all.of(Verdict::kFail), held = all.of(Verdict::kPass);
  const std::string head =
      broken != 0 ? fmt::format("{} does not conform: {}", driver, Rules(broken, "rule is broken", "rules are broken"))
      : held != 0 ? fmt::format("{} conforms: no rule is broken", driver)
                  : fmt::format("{}: no rule could be tried", driver);
  const std::string rest = fmt::format("{}, {} ({:.1f} s, {}).\n", Rules(held, "holds", "hold"),
                                       Rules(all.of(Verdict::kNotApplicable), "does not apply", "do not apply"),
                                       static_cast<double>(duration_ns) * 1e-9, seeds);
  const Ink ink = broken != 0 ? Ink::kBad : held != 0 ? Ink::kGood : Ink::kStrong;
  const bool fits = head.size() + 1 + rest.size() <= style.width;
  return fmt::format("\n{},{}{}", Painted(head, ink, style), fits ? " " : "\n", rest);
}

}  // namespace

std::string ToText(const TrialResult& result, const TextStyle& style, Printed printed) {
  const Rule& rule = *result.trial.rule;
  const auto [word, ink] = MarkOf(result.outcome.verdict);
  const bool applies = result.outcome.verdict != Verdict::kNotApplicable;
  std::string line = Painted(word, ink, style) + "  ";
  if (style.width < kWideColumns) {
    line += Cut(NameAndSeed(result.trial), style.width - 6);
  } else {
    const std::string_view said = applies ? rule.sentence : std::string_view(result.outcome.seen);
    line += fmt::format("{:<{}} ", Cut(NameAndSeed(result.trial), kNameColumns), kNameColumns) +
            Painted(Cut(said, style.width - kNameColumns - 7), applies ? Ink::kPlain : Ink::kFaint, style);
  }
  line += '\n';
  const bool failed = result.outcome.verdict == Verdict::kFail;
  if (failed) line += Wrapped("      ", result.outcome.seen, style);
  switch (printed) {
    case Printed::kNothing: return line;
    case Printed::kExcerpt: return failed ? line + Quoted(conform::Excerpt(result.printed, kExcerptLines), style) : line;
    case Printed::kAll: break;
  }
  return line + Quoted(conform::Printable(result.printed + result.races), style);
}

std::string VerdictOf(const conform::Trial& trial, const conform::Outcome& outcome, const TextStyle& style) {
  const auto [word, ink] = MarkOf(outcome.verdict);
  return Painted(word, ink, style) + "  " + NameAndSeed(trial) + "\n" + Detail(*trial.rule, outcome, style);
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
         Decided(results, style) + Broken(results, style) + Verdicts(driver, all, duration_ns, Seeds(results), style);
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
