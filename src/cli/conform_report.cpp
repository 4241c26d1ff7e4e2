#include "cli/conform_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tandem::cli {
namespace {

using conform::Verdict;

const char* Word(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass: return "pass";
    case Verdict::kFail: return "FAIL";
    case Verdict::kNotApplicable: return "n/a";
  }
  return "";
}

std::size_t Count(std::span<const TrialResult> results, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(), [verdict](const TrialResult& r) { return r.outcome.verdict == verdict; }));
}

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

double Seconds(const TrialResult& result) { return static_cast<double>(result.duration_ns) * 1e-9; }

}  // namespace

std::string ToText(const TrialResult& result) {
  const conform::Rule& rule = *result.trial.rule;
  std::string text = fmt::format("{:<5}{:<44} {}\n", Word(result.outcome.verdict), result.trial.name(), rule.sentence);
  if (result.outcome.verdict == Verdict::kFail)
    text += fmt::format("       seen:   {}\n       source: {}\n", result.outcome.seen, rule.source);
  if (result.outcome.verdict == Verdict::kNotApplicable) text += fmt::format("       because: {}\n", result.outcome.seen);
  return text;
}

std::string Summary(std::span<const TrialResult> results) {
  const std::size_t broken = Count(results, Verdict::kFail);
  const std::size_t other = Count(results, Verdict::kNotApplicable);
  return fmt::format("{} trials: {} passed, {} failed, {} not applicable.\n", results.size(), Count(results, Verdict::kPass),
                     broken, other);
}

std::string ToJson(std::span<const TrialResult> results) {
  auto list = nlohmann::ordered_json::array();
  for (const TrialResult& result : results) {
    const conform::Rule& rule = *result.trial.rule;
    list.push_back({{"rule", rule.id},
                    {"sentence", rule.sentence},
                    {"source", rule.source},
                    {"render", result.trial.pair.render->name},
                    {"display", result.trial.pair.display->name},
                    {"verdict", result.outcome.verdict == Verdict::kPass   ? "pass"
                                : result.outcome.verdict == Verdict::kFail ? "fail"
                                                                           : "not applicable"},
                    {"seen", result.outcome.seen},
                    {"seconds", Seconds(result)}});
  }
  return nlohmann::ordered_json{{"passed", Count(results, Verdict::kPass)},
                                {"failed", Count(results, Verdict::kFail)},
                                {"not_applicable", Count(results, Verdict::kNotApplicable)},
                                {"trials", list}}
             .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

std::string ToJunit(std::span<const TrialResult> results) {
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"tandem conform\" tests=\"{}\" failures=\"{}\" "
      "skipped=\"{}\">\n",
      results.size(), Count(results, Verdict::kFail), Count(results, Verdict::kNotApplicable));
  for (const TrialResult& result : results) {
    text += fmt::format("  <testcase classname=\"conform\" name=\"{}\" time=\"{:.3f}\">", Escaped(result.trial.name()),
                        Seconds(result));
    const std::string seen = Escaped(result.outcome.seen);
    if (result.outcome.verdict == Verdict::kFail) text += fmt::format("<failure message=\"{}\"/>", seen);
    if (result.outcome.verdict == Verdict::kNotApplicable) text += fmt::format("<skipped message=\"{}\"/>", seen);
    text += "</testcase>\n";
  }
  return text + "</testsuite>\n";
}

std::string ListOfRules(std::span<const conform::Trial> plan) {
  std::string text;
  for (const conform::Trial& trial : plan) {
    text += fmt::format("{}\n    {}\n    Source: {}\n", trial.name(), trial.rule->sentence, trial.rule->source);
  }
  return text;
}

}  // namespace tandem::cli
