#include "cli/conform_trial.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include <unistd.h>

#include "cli/conform.h"
#include "cli/conform_candidates.h"
#include "cli/conform_text.h"
#include "cli/driver_listing.h"
#include "cli/exit_codes.h"
#include "cli/tolerated_rules.h"
#include "conform/contained.h"
#include "conform/fail_each.h"
#include "conform/loaded_driver.h"
#include "conform/trial_signals.h"
#include "kernel/service_faults.h"
#include "system/conformance_drivers.h"
#include "system/driver_report.h"

namespace tandem::cli {
namespace {

std::vector<conform::Trial> TrialsOf(const ConformCommand& command, const Candidate& candidate) {
  std::vector<conform::Trial> trials = TrialsFor(command, candidate);
  trials.push_back(conform::StartTrial(candidate.driver, system::SoftUnderTest()));
  return trials;
}

// By the trial's own name, else by its rule's, which may mean several: a pair has two sides.
Result<conform::Trial> FindTrial(const ConformCommand& command, const Candidate& candidate, const std::string& name) {
  std::vector<conform::Trial> found;
  std::string names;
  for (const conform::Trial& trial : TrialsOf(command, candidate)) {
    if (trial.name() == name) return trial;
    if (trial.rule->id != name) continue;
    found.push_back(trial);
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", trial.name());
  }
  if (found.empty()) return Fail(ErrorKind::kNotFound, "No rule is named '{}'; --list names them all.", name);
  if (found.size() > 1) return Fail(ErrorKind::kInvalidArgument, "'{}' is tried more than once: say {}.", name, names);
  return found.front();
}

// Returns only when the process cannot begin again. Nothing to preload: returns at once.
std::optional<Error> BeginAgainWith(const std::vector<std::string>& environment) {
  if (environment.empty()) return std::nullopt;
  for (const std::string& variable : environment) {
    const std::size_t equals = variable.find('=');
    setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
  }
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  std::string line{std::istreambuf_iterator<char>(stream), {}};
  std::vector<char*> argv;
  for (std::size_t at = 0; at < line.size(); at += std::strlen(line.data() + at) + 1) argv.push_back(line.data() + at);
  argv.push_back(nullptr);
  execv("/proc/self/exe", argv.data());
  return Fail(ErrorKind::kIo, "The process cannot begin again with {}: {}.", environment.front(), std::strerror(errno));
}

int TellOfAdapter(const ConformCommand& command) {
  const auto loaded = conform::LoadDriver(command.driver);
  const auto report = loaded.ok() ? system::ReportOn(*loaded) : Result<system::DriverReport>(loaded.error());
  const conform::Outcome outcome = report.ok() ? conform::Outcome{conform::Verdict::kPass, ToJson(*report)}
                                               : conform::Outcome{conform::Verdict::kFail, report.error().message};
  return conform::TellOutcome(outcome) ? kExitOk : kExitFailure;
}

int TellOfFailure(const ConformCommand& command, const Candidate& candidate) {
  conform::Trial trial = conform::FailTrial(candidate.driver, system::SoftUnderTest());
  trial.failed_service = command.failed_service;
  trial.known_left = command.known_left;
  trial.seed = command.seed;
  conform::Outcome outcome = conform::RunTrial(trial);
  if (trial.failed_service == 0 && outcome.verdict == conform::Verdict::kPass) {
    outcome.seen = fmt::format("{}\n{}", fmt::join(kernel::ServicesSoFar().names, " "), outcome.left);
  }
  return conform::TellOutcome(outcome) ? kExitOk : kExitFailure;
}

int Fails(const Error& error) {
  std::fprintf(stderr, "tandem conform: %s\n", error.message.c_str());
  return kExitFailure;
}

}  // namespace

int RunTrialForParent(const ConformCommand& command) {
  conform::TellWhereItEnds();
  if (command.trial == kReportTrial) return TellOfAdapter(command);
  auto candidate = LoadCandidate(command);
  if (!candidate.ok()) {
    static_cast<void>(conform::TellOutcome({conform::Verdict::kFail, candidate.error().message}));
    return kExitOk;
  }
  if (command.trial == kLoadTrial) {
    conform::Outcome loaded;
    if (candidate->driver.display_only) loaded.seen = kLoadedDisplayOnly;
    return conform::TellOutcome(loaded) ? kExitOk : kExitFailure;
  }
  if (command.trial == kFailTrial) return TellOfFailure(command, *candidate);
  auto trial = FindTrial(command, *candidate, command.trial);
  if (!trial.ok()) return kExitFailure;
  trial->seed = command.seed;
  return conform::TellOutcome(conform::RunTrial(*trial)) ? kExitOk : kExitFailure;
}

int DebugTrial(const ConformCommand& command) {
  auto known = FindCandidates(command);
  if (!known.ok()) return Fails(known.error());
  if (known->size() > 1) {
    return Fails(Fail(ErrorKind::kInvalidArgument, "--debug tries one driver, and {} are here: say --adapter or --driver.",
                      known->size()));
  }
  if (auto error = BeginAgainWith(known->front().environment)) return Fails(*error);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a sanitizer ends the process without emptying buffers
  auto candidate = LoadCandidate(command);
  if (!candidate.ok()) return Fails(candidate.error());
  auto trial = FindTrial(command, *candidate, command.debug);
  if (!trial.ok()) return Fails(trial.error());
  trial->seed = command.seed;
  const TrialResult tried{candidate->driver.name, *trial, conform::RunTrial(*trial), {}, 0};
  ToleratedRules tolerated;
  tolerated.Note(tried);
  std::vector<TrialResult> results = tolerated.Broken(candidate->driver);
  results.insert(results.begin(), tried);
  bool broken = false;
  for (const TrialResult& result : results) {
    std::fputs(VerdictOf(result.trial, result.outcome, StyleOfStandardOutput()).c_str(), stdout);
    broken = broken || result.outcome.verdict == conform::Verdict::kFail;
  }
  return broken ? kExitRuleBroken : kExitOk;
}

}  // namespace tandem::cli
