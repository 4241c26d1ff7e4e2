#include "cli/conform_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tandem::cli {
namespace {

using conform::Verdict;

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

std::string Case(const TrialResult& result) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">", Escaped(result.driver),
                                 Escaped(result.trial.name()), Seconds(result));
  const std::string seen = Escaped(result.outcome.seen);
  const conform::Rule& rule = *result.trial.rule;
  if (result.outcome.verdict == Verdict::kFail) {
    text += fmt::format("<failure type=\"{}\" message=\"{}\">{} Source: {}</failure>", Escaped(rule.id), seen,
                        Escaped(rule.sentence), Escaped(rule.source));
  }
  if (result.outcome.verdict == Verdict::kNotApplicable) text += fmt::format("<skipped message=\"{}\"/>", seen);
  return text + "</testcase>\n";
}

// Of one driver.
std::string Suite(std::span<const TrialResult> results) {
  std::string text = fmt::format("  <testsuite name=\"tandem conform: {}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
                                 Escaped(results.front().driver), results.size(), Count(results, Verdict::kFail),
                                 Count(results, Verdict::kNotApplicable));
  for (const TrialResult& result : results) text += Case(result);
  return text + "  </testsuite>\n";
}

}  // namespace

std::string ToJson(std::span<const TrialResult> results) {
  auto list = nlohmann::ordered_json::array();
  for (const TrialResult& result : results) {
    const conform::Rule& rule = *result.trial.rule;
    list.push_back({{"driver", result.driver},
                    {"rule", rule.id},
                    {"sentence", rule.sentence},
                    {"source", rule.source},
                    {"decides", rule.decides},
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
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (std::size_t begin = 0, end = 0; begin < results.size(); begin = end) {
    while (end < results.size() && results[end].driver == results[begin].driver) ++end;
    text += Suite(results.subspan(begin, end - begin));
  }
  return text + "</testsuites>\n";
}

}  // namespace tandem::cli
