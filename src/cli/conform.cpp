#include "cli/conform.h"

#include <atomic>
#include <cstdio>
#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <string_view>
#include <vector>

#include <fnmatch.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "cli/conform_candidates.h"
#include "cli/conform_report.h"
#include "cli/conform_text.h"
#include "cli/conform_trial.h"
#include "cli/exit_codes.h"
#include "cli/tolerated_rules.h"
#include "conform/contained.h"
#include "conform/fail_each.h"
#include "conform/printed.h"
#include "kernel/thunk/current_ddi.h"
#include "system/conformance_drivers.h"

namespace tandem::cli {
namespace {

bool Wanted(const ConformCommand& command, const conform::Trial& trial) {
  return command.filter.empty() || fnmatch(command.filter.c_str(), trial.name().c_str(), 0) == 0 ||
         fnmatch(command.filter.c_str(), std::string(trial.rule->id).c_str(), 0) == 0;
}

// The plan repeats the trials as often as asked, each time with a seed of its own.
std::vector<conform::Trial> PlanOf(const ConformCommand& command, const Candidate& candidate) {
  std::vector<conform::Trial> plan;
  for (std::uint32_t round = 0; round < command.repeat; ++round) {
    for (conform::Trial trial : TrialsFor(command, candidate)) {
      trial.seed = command.seed + round;
      if (Wanted(command, trial)) plan.push_back(trial);
    }
  }
  return plan;
}

// One trial for each service that the driver calls when none fails.
Result<std::vector<conform::Trial>> PlanOfFailures(const ConformCommand& command, const Candidate& candidate) {
  const conform::ContainedOutcome counted = RunAlone(command, candidate, kFailTrial, {"--seed", std::to_string(command.seed)});
  if (counted.outcome.verdict != conform::Verdict::kPass) {
    return Fail(ErrorKind::kUnsupported, "The driver shows no frames while nothing fails: {}", counted.outcome.seen);
  }
  std::istringstream seen(counted.outcome.seen);
  std::string names, left;
  std::getline(seen, names);
  std::getline(seen, left);
  std::vector<conform::Trial> plan;
  std::istringstream words(names);
  for (std::string name; words >> name;) {
    conform::Trial& trial = plan.emplace_back(conform::FailTrial(candidate.driver, system::SoftUnderTest()));
    trial.failed_service = plan.size();
    trial.failed_name = name;
    trial.known_left = left;
    trial.seed = command.seed;
  }
  if (!plan.empty()) return plan;
  return Fail(ErrorKind::kUnsupported,
              "The driver asks for no service that can fail; 'tandem driver build' builds one that does.");
}

void Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

// Tries the plan in `jobs` processes at a time; `done` hears of each trial in the order of the plan.
template <class Done>
void TryAll(const ConformCommand& command, const Candidate& candidate, std::span<const conform::Trial> plan, Done done) {
  std::vector<TrialResult> results(plan.size());
  std::vector<std::atomic<bool>> ready(plan.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < plan.size(); i = next++) {
      results[i] = TryTrial(command, candidate, plan[i]);
      ready[i] = true;
      ready[i].notify_one();
    }
  };
  std::vector<std::thread> workers;
  for (std::uint32_t job = 0; job < command.jobs; ++job) workers.emplace_back(work);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    ready[i].wait(false);
    done(std::move(results[i]));
  }
  for (std::thread& worker : workers) worker.join();
}

bool AnyFailed(const std::vector<TrialResult>& results) {
  for (const TrialResult& result : results) {
    if (result.outcome.verdict == conform::Verdict::kFail) return true;
  }
  return false;
}

int Fails(const std::string& message, std::string_view printed) {
  std::fprintf(stderr, "tandem conform: %s\n%s", message.c_str(), conform::Excerpt(printed, kExcerptLines).c_str());
  return kExitFailure;
}

int Fails(const std::string& message) { return Fails(message, {}); }

int List(const ConformCommand& command, std::span<const Candidate> candidates) {
  std::vector<conform::Trial> all;
  for (const Candidate& candidate : candidates) {
    const std::vector<conform::Trial> plan = PlanOf(command, candidate);
    all.insert(all.end(), plan.begin(), plan.end());
  }
  Print(command.format == ListFormat::kJson ? ListAsJson(all) : ListOfRules(all, StyleOfStandardOutput()));
  return kExitOk;
}

class Report {
 public:
  explicit Report(const ConformCommand& command)
      : command_(command), printed_(command.verbose ? Printed::kAll : Printed::kExcerpt), style_(StyleOfStandardOutput()) {}

  // A driver that does not start has one failure, and nothing else of it is tried.
  void Judge(const Candidate& candidate, std::span<const conform::Trial> plan) {
    const std::size_t first = results_.size();
    ToleratedRules tolerated;
    TrialResult start = TryTrial(command_, candidate, conform::StartTrial(candidate.driver, system::SoftUnderTest()));
    tolerated.Note(start);
    if (start.outcome.verdict == conform::Verdict::kFail) {
      Add(std::move(start));
    } else {
      TryAll(command_, candidate, plan, [&](TrialResult result) {
        tolerated.Note(result);
        Add(std::move(result));
      });
    }
    for (TrialResult& broken : tolerated.Broken(candidate.driver)) Add(std::move(broken));
    summaries_ += Summary(std::span(results_).subspan(first), style_);
  }

  int End() {
    Print(table() ? summaries_ : ToJson(results_, printed_));
    if (!command_.junit.empty()) {
      std::ofstream file(command_.junit);
      file << ToJunit(results_);
      if (!file.flush()) return Fails(command_.junit + " cannot be written.");
    }
    return AnyFailed(results_) ? kExitRuleBroken : kExitOk;
  }

 private:
  [[nodiscard]] bool table() const { return command_.format == ListFormat::kTable; }
  void Add(TrialResult result) {
    // Equal failures print alike: the first one's excerpt does for all.
    const bool known = !seen_.insert(result.outcome.seen).second;
    if (table()) Print(ToText(result, style_, printed_ == Printed::kExcerpt && known ? Printed::kNothing : printed_));
    results_.push_back(std::move(result));
  }

  const ConformCommand& command_;
  const Printed printed_;
  const TextStyle style_;
  std::set<std::string> seen_;
  std::vector<TrialResult> results_;
  std::string summaries_;
};

}  // namespace

conform::ContainedOutcome RunAlone(const ConformCommand& command, const Candidate& candidate, const std::string& trial,
                                   const std::vector<std::string>& further) {
  conform::ContainedTrial contained;
  contained.argv = {"/proc/self/exe", "conform"};
  contained.argv.insert(contained.argv.end(), candidate.arguments.begin(), candidate.arguments.end());
  contained.argv.insert(contained.argv.end(), {"--trial", trial});
  contained.argv.insert(contained.argv.end(), further.begin(), further.end());
  if (command.through_shim) contained.argv.emplace_back("--through-shim");
  if (command.trace) contained.argv.emplace_back("--trace");
  if (command.guard_pages) contained.argv.emplace_back("--guard-pages");
  if (!command.registry.empty()) contained.argv.insert(contained.argv.end(), {"--registry", command.registry});
  contained.environment = candidate.environment;
  contained.driver = command.driver;
  contained.races = conform::RacesAre::kTolerated;
  contained.limit_ms = std::int64_t{command.limit_s} * 1000;
  return conform::RunContained(contained);
}

TrialResult TryTrial(const ConformCommand& command, const Candidate& candidate, const conform::Trial& trial) {
  const std::int64_t start_ns = MonotonicClock().NowNs();
  std::string name = trial.name();
  std::vector<std::string> further{"--seed", std::to_string(trial.seed)};
  if (trial.failed_service != 0) {
    name = kFailTrial;
    further.insert(further.end(), {"--failed-service", std::to_string(trial.failed_service)});
    if (!trial.known_left.empty()) further.push_back("--known-left=" + trial.known_left);
  }
  conform::ContainedOutcome ended = RunAlone(command, candidate, name, further);
  return {candidate.driver.name, trial, std::move(ended.outcome), std::move(ended.printed), MonotonicClock().NowNs() - start_ns,
          std::move(ended.races)};
}

int Conform(const ConformCommand& command) {
  if (auto set = SetForDrivers(command.registry, command.guard_pages); !set.ok()) return Fails(set.error().message);
  if (command.trace && (!command.trial.empty() || !command.debug.empty())) kernel::TraceDdis(STDERR_FILENO);
  if (!command.trial.empty()) return RunTrialForParent(command);
  if (!command.debug.empty()) return DebugTrial(command);
  auto candidates = FindCandidates(command);
  if (!candidates.ok()) return Fails(candidates.error().message);
  std::vector<std::vector<conform::Trial>> plans;
  std::size_t planned = 0;
  for (Candidate& candidate : *candidates) {
    if (!command.driver.empty()) {
      const conform::ContainedOutcome loaded = RunAlone(command, candidate, kLoadTrial);
      if (loaded.outcome.verdict == conform::Verdict::kFail) return Fails(loaded.outcome.seen, loaded.printed);
      candidate.driver.display_only = loaded.outcome.seen == kLoadedDisplayOnly;
    }
    Result<std::vector<conform::Trial>> plan = PlanOf(command, candidate);
    if (command.fail_each) plan = PlanOfFailures(command, candidate);
    if (!plan.ok()) return Fails(plan.error().message);
    plans.push_back(*std::move(plan));
    planned += plans.back().size();
  }
  if (planned == 0) return Fails("No rule has a name like '" + command.filter + "'; --list names them all.");
  if (command.list) return List(command, *candidates);
  Report report(command);
  for (std::size_t i = 0; i < candidates->size(); ++i) report.Judge((*candidates)[i], plans[i]);
  return report.End();
}

}  // namespace tandem::cli
