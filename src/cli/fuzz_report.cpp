#include "cli/fuzz_report.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conform/printed.h"

namespace tandem::cli {
namespace {

constexpr std::size_t kMostShownSteps = 12;

std::string Plural(std::uint64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::vector<std::string> StepsOf(const conform::CallScript& script) {
  std::vector<std::string> steps;
  for (const conform::CallStep& step : script.steps) {
    std::string text = conform::ToText({script.device, {step}}, {});
    text.pop_back();
    steps.push_back(text.substr(text.rfind('\n') + 1));
  }
  return steps;
}

}  // namespace

void FuzzTotals::Count(std::size_t all_edges, const conform::SeenByRuns& seen) {
  edges = all_edges;
  edges_taken = 0;
  for (const std::uint64_t bits : seen.edges) edges_taken += static_cast<std::size_t>(std::popcount(bits));
}

std::string ToText(const FuzzResult& result, const FuzzTotals& totals, const TextStyle& style) {
  const std::string head = Painted("FAIL", Ink::kBad, style) + "  " + Painted(result.finding.name, Ink::kStrong, style) + "\n";
  std::string text = head + Wrapped("      ", result.finding.sentence, style);
  for (const std::string& frame : result.stack) text += "      at " + frame + "\n";
  const std::string length = result.script.steps.empty()
                                 ? "without any call"
                                 : fmt::format("after {} of {}", Plural(result.script.steps.size(), "call"), result.first_steps);
  text +=
      fmt::format("      {}; in {}; {} of {} replays show it\n", length, Plural(result.runs, "run"), result.replays, kReplays);
  const std::vector<std::string> steps = StepsOf(result.script);
  for (std::size_t i = 0; i < std::min(steps.size(), kMostShownSteps); ++i)
    text += "        " + Cut(steps[i], style.width - 8) + "\n";
  if (steps.size() > kMostShownSteps) text += fmt::format("        and {} more\n", steps.size() - kMostShownSteps);
  text += fmt::format("      tandem fuzz --driver {} --replay {}\n", totals.driver, result.file);
  if (result.finding.name == "Sanitizer" || result.finding.name == "Crash") text += result.printed;
  return text;
}

std::string Summary(std::span<const FuzzResult> results, const FuzzTotals& totals, const TextStyle& style) {
  const std::string found = results.empty() ? "nothing found" : Plural(results.size(), "finding");
  std::string text = fmt::format("{} in {:.0f} s: {}, {}", Painted(found, results.empty() ? Ink::kGood : Ink::kBad, style),
                                 totals.seconds, Plural(totals.runs, "sequence"), Plural(totals.calls, "call"));
  if (totals.seconds > 0) text += fmt::format(", {:.0f} a second", static_cast<double>(totals.calls) / totals.seconds);
  text += fmt::format("; {} reached the driver, the kernel answered {}. {} saw something new.", totals.reached,
                      totals.calls - totals.reached, Plural(totals.kept, "sequence"));
  if (totals.edges != 0)
    text += fmt::format(" {} of {} edges of the driver's code were taken.", totals.edges_taken, totals.edges);
  return Wrapped("", text + fmt::format(" Seed {}.", totals.seed), style);
}

std::string ToJson(std::span<const FuzzResult> results, const FuzzTotals& totals) {
  auto findings = nlohmann::ordered_json::array();
  for (const FuzzResult& result : results) {
    findings.push_back({{"name", result.finding.name},
                        {"sentence", result.finding.sentence},
                        {"stack", result.stack},
                        {"steps", StepsOf(result.script)},
                        {"first_steps", result.first_steps},
                        {"runs", result.runs},
                        {"replays", result.replays},
                        {"replays_tried", kReplays},
                        {"file", result.file},
                        {"printed", result.printed}});
  }
  const nlohmann::ordered_json all{{"driver", totals.driver},
                                   {"seed", totals.seed},
                                   {"seconds", totals.seconds},
                                   {"runs", totals.runs},
                                   {"calls", totals.calls},
                                   {"reached", totals.reached},
                                   {"answered_by_kernel", totals.calls - totals.reached},
                                   {"kept", totals.kept},
                                   {"edges", totals.edges},
                                   {"edges_taken", totals.edges_taken},
                                   {"findings", findings}};
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::vector<std::string> RemarksOf(const FuzzResult& result, const FuzzTotals& totals) {
  std::vector<std::string> remarks{fmt::format("driver {}, seed {}", totals.driver, totals.seed), result.finding.sentence};
  for (const std::string& frame : result.stack) remarks.push_back("at " + frame);
  for (std::string& remark : remarks) {
    remark = conform::Printable(remark);
    for (char& letter : remark) letter = letter == '\n' ? ' ' : letter;
  }
  return remarks;
}

}  // namespace tandem::cli
