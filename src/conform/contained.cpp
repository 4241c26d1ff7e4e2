#include "conform/contained.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "conform/printed.h"
#include "conform/rules.h"
#include "conform/trial_signals.h"

namespace tandem::conform {
namespace {

constexpr std::size_t kMostBytes = 64 * 1024;  // of an outcome
constexpr char kPassed = 'P';
constexpr char kFailed = 'F';
constexpr char kNotApplicable = 'N';
// Time for a hung trial to report the DDI that it hangs in.
constexpr std::int64_t kAnswerMs = 5'000;

Outcome Failed(std::string seen) { return {Verdict::kFail, std::move(seen)}; }

std::optional<Verdict> VerdictOf(char letter) {
  switch (letter) {
    case kPassed: return Verdict::kPass;
    case kFailed: return Verdict::kFail;
    case kNotApplicable: return Verdict::kNotApplicable;
    default: return std::nullopt;
  }
}

// Texts end with a zero, or with the message: the sentence behind the verdict, then two for each tolerated rule.
std::optional<Outcome> Decode(const std::string& bytes) {
  const auto verdict = bytes.empty() ? std::nullopt : VerdictOf(bytes.front());
  if (!verdict) return std::nullopt;
  std::size_t at = 1;
  const auto next = [&] {
    const std::size_t end = std::min(bytes.find('\0', at), bytes.size());
    std::string text = bytes.substr(at, end - at);
    at = std::min(end + 1, bytes.size());
    return text;
  };
  Outcome outcome{*verdict, next()};
  while (at < bytes.size()) {
    std::string rule = next();
    outcome.tolerated.push_back({std::move(rule), next()});
  }
  return outcome;
}

// For example " in DxgkDdiPresent"; empty if unknown.
std::string Where(const std::string& bytes) {
  return bytes.empty() || bytes.front() != kInDdi ? std::string() : " in " + bytes.substr(1);
}

// The reading end of a pipe from a trial.
class Stream {
 public:
  explicit Stream(UniqueFd fd) : fd_(std::move(fd)) {}
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] std::string& bytes() { return bytes_; }

  // Reads the available bytes, or notices that all writers are gone. Keeps the last `most` bytes.
  void Read(std::size_t most) {
    std::array<char, 4096> buffer{};
    const ssize_t got = read(fd_.get(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    open_ = got > 0;
    if (!open_) return;
    bytes_.append(buffer.data(), static_cast<std::size_t>(got));
    if (bytes_.size() > 2 * most) bytes_.erase(0, bytes_.size() - most);
  }
  void KeepLast(std::size_t most) {
    if (bytes_.size() > most) bytes_.erase(0, bytes_.size() - most);
  }

 private:
  UniqueFd fd_;
  bool open_ = true;
  std::string bytes_;
};

// Reads both streams until the outcome's writers close it, at the latest when the process ends. False when `limit_ms` passed
// first.
bool ReadUntilEnd(Stream& outcome, Stream& printed, std::int64_t limit_ms) {
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + limit_ms * 1'000'000;
  while (outcome.open()) {
    const std::int64_t left_ms = (deadline_ns - MonotonicClock().NowNs()) / 1'000'000;
    if (left_ms <= 0) return false;
    std::array<pollfd, 2> ready{{{outcome.fd(), POLLIN, 0}, {printed.open() ? printed.fd() : -1, POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), static_cast<int>(std::min<std::int64_t>(left_ms, 1'000))) < 0) continue;
    if (ready[1].revents != 0) printed.Read(kMostPrinted);
    if (ready[0].revents != 0) outcome.Read(kMostBytes);
  }
  return true;
}

// Reads the bytes in the pipe and no more; another process may keep writing to it for ever.
void ReadRest(Stream& printed) {
  std::size_t left = kMostPrinted;
  pollfd ready{printed.fd(), POLLIN, 0};
  while (printed.open() && left > 0 && poll(&ready, 1, 0) > 0) {
    const std::size_t before = printed.bytes().size();
    printed.Read(kMostPrinted);
    left -= std::min(left, printed.bytes().size() > before ? printed.bytes().size() - before : 1);
  }
  printed.KeepLast(kMostPrinted);
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    if (std::none_of(added.begin(), added.end(), [name](const std::string& one) { return one.starts_with(name); })) {
      all.emplace_back(variable);
    }
  }
  return all;
}

// Returns 0 or errno.
int Spawn(const ContainedTrial& trial, int outcome_fd, int printed_fd, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, printed_fd, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, printed_fd, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, outcome_fd, kOutcomeFd);
  const std::vector<std::string> environment = Environment(trial.environment);
  const int error =
      posix_spawn(&pid, trial.argv.front().c_str(), &actions, nullptr, Pointers(trial.argv).data(), Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Opens a pipe whose descriptors differ from those of a trial: dup2 of one onto itself would keep close-on-exec.
bool OpenPipe(UniqueFd& reader, UniqueFd& writer) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  reader = UniqueFd(ends[0]);
  writer = UniqueFd(ends[1]);
  if (writer.get() <= kOutcomeFd) writer = UniqueFd(fcntl(writer.get(), F_DUPFD_CLOEXEC, kOutcomeFd + 1));
  return writer.get() >= 0;
}

std::string WithReport(std::string sentence, const std::string& report) {
  return report.empty() ? sentence : fmt::format("{} {}.", sentence, report);
}

Outcome Judge(int status, const std::string& told, const std::string& report) {
  if (WIFSIGNALED(status)) {
    if (!report.empty()) return Failed(fmt::format("The driver crashed{}: {}.", Where(told), report));
    return Failed(fmt::format("The driver crashed{}: {}.", Where(told), strsignal(WTERMSIG(status))));
  }
  auto outcome = Decode(told);
  if (!outcome && !report.empty()) return Failed(fmt::format("The driver was stopped{}: {}.", Where(told), report));
  const int code = WEXITSTATUS(status);
  if (!outcome) return Failed(fmt::format("The driver ended the process with code {} in the middle of the rule.", code));
  if (outcome->verdict == Verdict::kFail) {
    outcome->seen = WithReport(std::move(outcome->seen), report);
    return *std::move(outcome);
  }
  if (!report.empty()) return Failed(fmt::format("A sanitizer reports: {}.", report));
  if (code != 0) return Failed(fmt::format("The process ended with code {} after the rule.", code));
  return *std::move(outcome);
}

}  // namespace

ContainedOutcome RunContained(const ContainedTrial& trial) {
  UniqueFd outcome_reader, outcome_writer, printed_reader, printed_writer;
  if (!OpenPipe(outcome_reader, outcome_writer) || !OpenPipe(printed_reader, printed_writer)) {
    return {Failed(fmt::format("No pipe for a trial: {}.", std::strerror(errno))), {}};
  }
  pid_t pid = -1;
  if (const int error = Spawn(trial, outcome_writer.get(), printed_writer.get(), pid); error != 0) {
    return {Failed(fmt::format("{} cannot be started: {}.", trial.argv.front(), std::strerror(error))), {}};
  }
  outcome_writer = UniqueFd();
  printed_writer = UniqueFd();
  Stream outcome(std::move(outcome_reader));
  Stream printed(std::move(printed_reader));
  const bool ended = ReadUntilEnd(outcome, printed, trial.limit_ms);
  if (!ended) {
    kill(pid, kAskWhere);
    static_cast<void>(ReadUntilEnd(outcome, printed, kAnswerMs));
    kill(pid, SIGKILL);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  ReadRest(printed);
  if (!trial.driver.empty()) {
    const std::string module = trial.driver.substr(trial.driver.rfind('/') + 1);
    printed.bytes() = WithoutOthersRaces(printed.bytes(), module);
  }
  Races races;
  if (trial.races == RacesAre::kTolerated) {
    races = TakeRaces(printed.bytes());
    printed.bytes() = std::move(races.others);
  }
  const std::string report = SanitizerReport(printed.bytes());
  Outcome judged = ended ? Judge(status, outcome.bytes(), report)
                         : Failed(WithReport(fmt::format("The driver hangs{}: the rule did not end within {} ms.",
                                                         Where(outcome.bytes()), trial.limit_ms),
                                             report));
  for (const std::string& place : races.places)
    judged.tolerated.push_back({std::string(RaceRule().id), fmt::format("A data race: {}.", place)});
  return {std::move(judged), std::move(printed.bytes()), std::move(races.reports)};
}

bool TellOutcome(const Outcome& outcome) {
  const char verdict = outcome.verdict == Verdict::kPass ? kPassed : outcome.verdict == Verdict::kFail ? kFailed : kNotApplicable;
  std::string rest;
  for (const auto& [rule, seen] : outcome.tolerated) {
    if (rest.size() + rule.size() + seen.size() > kMostBytes / 2) break;
    rest += '\0' + rule + '\0' + seen;
  }
  const std::string bytes = verdict + outcome.seen.substr(0, kMostBytes - 1 - rest.size()) + rest;
  return write(kOutcomeFd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

}  // namespace tandem::conform
