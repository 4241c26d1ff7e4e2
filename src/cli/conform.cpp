#include "cli/conform.h"

#include <cstdio>
#include <fstream>
#include <span>
#include <vector>

#include <fnmatch.h>

#include "base/clock.h"
#include "cli/conform_report.h"
#include "cli/conform_text.h"
#include "cli/exit_codes.h"
#include "compose/conformance_drivers.h"
#include "compose/system.h"
#include "conform/contained.h"
#include "conform/loaded_driver.h"
#include "coproc/selector.h"

namespace tandem::cli {
namespace {

struct Candidate {
  conform::DriverUnderTest driver;
  std::vector<std::string> arguments;  // by which a process of a trial finds it again
};

// The trial that only loads the driver.
constexpr char kLoadTrial[] = "load";

Candidate CandidateOf(const std::string& path, conform::DriverUnderTest driver) {
  if (driver.name == compose::SoftUnderTest().name) driver.name = "your_" + driver.name;  // the other side has that name
  return {std::move(driver), {"--driver", path}};
}

conform::Outcome RunAlone(const std::vector<std::string>& arguments, const std::string& trial, const ConformCommand& command) {
  std::vector<std::string> argv{"/proc/self/exe", "conform"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  argv.insert(argv.end(), {"--trial", trial});
  return conform::RunContained(argv, std::int64_t{command.limit_s} * 1000);
}

// A stranger's code runs in the processes of trials alone: here it is only known by name.
Result<Candidate> StrangersDriver(const ConformCommand& command) {
  Candidate candidate = CandidateOf(command.driver, conform::UnloadedDriver(command.driver));
  if (command.trial.empty()) {
    const conform::Outcome loaded = RunAlone(candidate.arguments, kLoadTrial, command);
    if (loaded.verdict == conform::Verdict::kFail) return Fail(ErrorKind::kNotFound, "{}", loaded.seen);
    return candidate;
  }
  auto loaded = conform::LoadDriver(command.driver);
  if (!loaded.ok()) return std::move(loaded).error();
  return CandidateOf(command.driver, *std::move(loaded));
}

Result<std::vector<Candidate>> Candidates(const ConformCommand& command) {
  std::vector<Candidate> candidates;
  if (!command.driver.empty()) {
    auto candidate = StrangersDriver(command);
    if (!candidate.ok()) return std::move(candidate).error();
    candidates.push_back(*std::move(candidate));
    return candidates;
  }
  auto system = compose::System::Create(coproc::Settings{});
  if (!system.ok()) return std::move(system).error();
  const std::vector<coproc::AdapterInfo>& adapters = (*system)->adapters();
  std::vector<std::size_t> chosen;
  if (command.adapter.empty()) {
    for (std::size_t i = 0; i < adapters.size(); ++i) chosen.push_back(i);
  } else {
    const auto found = coproc::FindAdapter(command.adapter, adapters);
    if (!found.ok()) return found.error();
    chosen.push_back(*found);
  }
  for (const std::size_t i : chosen) {
    candidates.push_back({compose::UnderTest(adapters[i]), {"--adapter", std::to_string(adapters[i].index)}});
  }
  return candidates;
}

bool Wanted(const ConformCommand& command, const conform::Trial& trial) {
  return command.filter.empty() || fnmatch(command.filter.c_str(), trial.name().c_str(), 0) == 0 ||
         fnmatch(command.filter.c_str(), std::string(trial.rule->id).c_str(), 0) == 0;
}

std::vector<conform::Trial> PlanOf(const ConformCommand& command, const Candidate& candidate) {
  std::vector<conform::Trial> plan;
  for (const conform::Trial& trial : conform::PlanFor(candidate.driver, compose::SoftUnderTest())) {
    if (Wanted(command, trial)) plan.push_back(trial);
  }
  return plan;
}

// In the process of one trial.
int RunOne(const ConformCommand& command, const Candidate& candidate) {
  if (command.trial == kLoadTrial) return conform::TellOutcome({}) ? kExitOk : kExitFailure;
  for (const conform::Trial& trial : conform::PlanFor(candidate.driver, compose::SoftUnderTest())) {
    if (trial.name() != command.trial) continue;
    return conform::TellOutcome(conform::RunTrial(trial)) ? kExitOk : kExitFailure;
  }
  return kExitFailure;
}

TrialResult RunContained(const ConformCommand& command, const Candidate& candidate, const conform::Trial& trial) {
  const std::int64_t start_ns = MonotonicClock().NowNs();
  conform::Outcome outcome = RunAlone(candidate.arguments, trial.name(), command);
  return {candidate.driver.name, trial, std::move(outcome), MonotonicClock().NowNs() - start_ns};
}

bool AnyFailed(const std::vector<TrialResult>& results) {
  for (const TrialResult& result : results) {
    if (result.outcome.verdict == conform::Verdict::kFail) return true;
  }
  return false;
}

void Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

int Fails(const std::string& message) {
  std::fprintf(stderr, "tandem conform: %s\n", message.c_str());
  return kExitFailure;
}

}  // namespace

int Conform(const ConformCommand& command) {
  if (!command.trial.empty()) conform::TellWhereItEnds();
  auto candidates = Candidates(command);
  if (!candidates.ok()) {
    if (command.trial == kLoadTrial) {
      static_cast<void>(conform::TellOutcome({conform::Verdict::kFail, candidates.error().message}));
    }
    return Fails(candidates.error().message);
  }
  if (!command.trial.empty()) return RunOne(command, candidates->front());

  const bool table = command.format == ListFormat::kTable;
  const TextStyle style = StyleOfStandardOutput();
  std::vector<TrialResult> results;
  std::string summaries;
  std::size_t planned = 0;
  for (const Candidate& candidate : *candidates) {
    const std::vector<conform::Trial> plan = PlanOf(command, candidate);
    planned += plan.size();
    if (command.list) {
      Print(ListOfRules(plan, style));
      continue;
    }
    const std::size_t first = results.size();
    for (const conform::Trial& trial : plan) {
      results.push_back(RunContained(command, candidate, trial));
      if (table) Print(ToText(results.back(), style));
    }
    summaries += Summary(std::span(results).subspan(first), style);
  }
  if (planned == 0) return Fails("No rule has a name like '" + command.filter + "'; --list names them all.");
  if (command.list) return kExitOk;
  Print(table ? summaries : ToJson(results));
  if (!command.junit.empty()) {
    std::ofstream file(command.junit);
    file << ToJunit(results);
    if (!file.flush()) return Fails(command.junit + " cannot be written.");
  }
  return AnyFailed(results) ? kExitRuleBroken : kExitOk;
}

}  // namespace tandem::cli
