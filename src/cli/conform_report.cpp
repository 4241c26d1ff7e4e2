#include "cli/conform_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/markup.h"
#include "conform/printed.h"

namespace tandem::cli {
namespace {

using conform::Verdict;

std::size_t Count(std::span<const TrialResult> results, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(), [verdict](const TrialResult& r) { return r.outcome.verdict == verdict; }));
}

const char* NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass: return "pass";
    case Verdict::kFail: return "fail";
    case Verdict::kNotApplicable: break;
  }
  return "not applicable";
}

nlohmann::ordered_json RuleOf(const conform::Trial& trial) {
  const conform::Rule& rule = *trial.rule;
  return {{"trial", trial.name()},
          {"rule", rule.id},
          {"sentence", rule.sentence},
          {"source", rule.source},
          {"decides", rule.decides},
          {"render", trial.pair.render->name},
          {"display", trial.pair.display->name}};
}

// A driver's output need not be UTF-8.
std::string Text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

double Seconds(const TrialResult& result) { return static_cast<double>(result.duration_ns) * 1e-9; }

std::string Case(const TrialResult& result) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">", InMarkup(result.driver),
                                 InMarkup(result.trial.name()), Seconds(result));
  const std::string seen = InMarkup(SeenAndPrinted(result));
  const conform::Rule& rule = *result.trial.rule;
  if (result.outcome.verdict == Verdict::kFail) {
    text += fmt::format("<failure type=\"{}\" message=\"{}\">{} Source: {}</failure>", InMarkup(rule.id), seen,
                        InMarkup(rule.sentence), InMarkup(rule.source));
  }
  if (result.outcome.verdict == Verdict::kNotApplicable) text += fmt::format("<skipped message=\"{}\"/>", seen);
  return text + "</testcase>\n";
}

// The report of one driver.
std::string Suite(std::span<const TrialResult> results) {
  std::string text = fmt::format("  <testsuite name=\"tandem conform: {}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
                                 InMarkup(results.front().driver), results.size(), Count(results, Verdict::kFail),
                                 Count(results, Verdict::kNotApplicable));
  for (const TrialResult& result : results) text += Case(result);
  return text + "  </testsuite>\n";
}

}  // namespace

std::string SeenAndPrinted(const TrialResult& result) {
  if (result.outcome.verdict != Verdict::kFail) return result.outcome.seen;
  const std::string excerpt = conform::Excerpt(result.printed, kExcerptLines);
  return excerpt.empty() ? result.outcome.seen : fmt::format("{}\nPrinted:\n{}", result.outcome.seen, excerpt);
}

std::string ToJson(std::span<const TrialResult> results, Printed printed) {
  auto list = nlohmann::ordered_json::array();
  for (const TrialResult& result : results) {
    auto entry = RuleOf(result.trial);
    entry["driver"] = result.driver;
    entry["verdict"] = NameOf(result.outcome.verdict);
    entry["seen"] = SeenAndPrinted(result);
    if (printed == Printed::kAll) entry["printed"] = result.printed + result.races;
    entry["seed"] = result.trial.seed;
    entry["seconds"] = Seconds(result);
    list.push_back(std::move(entry));
  }
  return Text({{"passed", Count(results, Verdict::kPass)},
               {"failed", Count(results, Verdict::kFail)},
               {"not_applicable", Count(results, Verdict::kNotApplicable)},
               {"trials", list}});
}

std::string ListAsJson(std::span<const conform::Trial> plan) {
  auto list = nlohmann::ordered_json::array();
  for (const conform::Trial& trial : plan) list.push_back(RuleOf(trial));
  return Text({{"trials", list}});
}

std::string ToJunit(std::span<const TrialResult> results) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (std::size_t begin = 0, end = 0; begin < results.size(); begin = end) {
    while (end < results.size() && results[end].driver == results[begin].driver) ++end;
    text += Suite(results.subspan(begin, end - begin));
  }
  return text + "</testsuites>\n";
}

}  // namespace tandem::cli
