#include "conform/contained.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "kernel/thunk/current_ddi.h"

namespace tandem::conform {
namespace {

constexpr std::size_t kMostBytes = 64 * 1024;  // of an outcome: a sentence
constexpr char kPassed = 'P';
constexpr char kFailed = 'F';
constexpr char kNotApplicable = 'N';
constexpr char kInDdi = 'D';
// By which a trial that hangs is asked where it is, and how long it may take to say so.
constexpr int kAskWhere = SIGUSR2;
constexpr std::int64_t kAnswerMs = 5'000;

Outcome Failed(std::string seen) { return {Verdict::kFail, std::move(seen)}; }

std::optional<Outcome> Decode(const std::string& bytes) {
  if (bytes.empty()) return std::nullopt;
  switch (bytes.front()) {
    case kPassed: return Outcome{Verdict::kPass, bytes.substr(1)};
    case kFailed: return Outcome{Verdict::kFail, bytes.substr(1)};
    case kNotApplicable: return Outcome{Verdict::kNotApplicable, bytes.substr(1)};
    default: return std::nullopt;
  }
}

// " in DxgkDdiPresent", or nothing.
std::string Where(const std::string& bytes) {
  return bytes.empty() || bytes.front() != kInDdi ? std::string() : " in " + bytes.substr(1);
}

void WriteWhere() {
  const char* const ddi = kernel::CurrentDdiName();
  if (ddi == nullptr) return;
  std::array<char, 128> text{kInDdi};
  const std::size_t length = std::min(std::strlen(ddi), text.size() - 1);
  std::memcpy(text.data() + 1, ddi, length);
  static_cast<void>(!write(kOutcomeFd, text.data(), length + 1));
}

void OnCrash(int signal) {
  WriteWhere();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// Whoever asked reads to the end, and kills.
void OnQuestion(int /*signal*/) {
  WriteWhere();
  close(kOutcomeFd);
}

// What came until the writer closed its end; false when that did not happen in time.
bool ReadAll(int fd, std::int64_t deadline_ns, std::string& bytes) {
  std::array<char, 4096> buffer{};
  for (;;) {
    const std::int64_t left_ms = (deadline_ns - MonotonicClock().NowNs()) / 1'000'000;
    pollfd ready{fd, POLLIN, 0};
    if (left_ms <= 0 || poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left_ms, 1'000))) < 0) return left_ms > 0;
    if (ready.revents == 0) continue;
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    bytes.append(buffer.data(), std::min<std::size_t>(static_cast<std::size_t>(got), kMostBytes - bytes.size()));
  }
}

// 0, or errno.
int Spawn(const std::vector<std::string>& argv, int outcome_fd, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, outcome_fd, kOutcomeFd);
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int error = posix_spawn(&pid, argv.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Outcome RunContained(const std::vector<std::string>& argv, std::int64_t limit_ms) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Failed(fmt::format("No pipe for a trial: {}.", std::strerror(errno)));
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  // A descriptor that already is kOutcomeFd would keep its close-on-exec flag.
  if (writer.get() == kOutcomeFd) writer = UniqueFd(fcntl(writer.get(), F_DUPFD_CLOEXEC, kOutcomeFd + 1));
  pid_t pid = -1;
  if (const int error = Spawn(argv, writer.get(), pid); error != 0) {
    return Failed(fmt::format("{} cannot be started: {}.", argv.front(), std::strerror(error)));
  }
  writer = UniqueFd();
  std::string bytes;
  const bool ended = ReadAll(reader.get(), MonotonicClock().NowNs() + limit_ms * 1'000'000, bytes);
  if (!ended) {
    kill(pid, kAskWhere);
    static_cast<void>(ReadAll(reader.get(), MonotonicClock().NowNs() + kAnswerMs * 1'000'000, bytes));
    kill(pid, SIGKILL);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended) return Failed(fmt::format("The driver hangs{}: the rule did not end within {} ms.", Where(bytes), limit_ms));
  if (WIFSIGNALED(status)) return Failed(fmt::format("The driver crashed{}: {}.", Where(bytes), strsignal(WTERMSIG(status))));
  if (auto outcome = Decode(bytes)) return *std::move(outcome);
  return Failed(fmt::format("The driver ended the process with code {} in the middle of the rule.", WEXITSTATUS(status)));
}

void TellWhereItEnds() {
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(crash, &OnCrash);
  std::signal(kAskWhere, &OnQuestion);
}

bool TellOutcome(const Outcome& outcome) {
  const char verdict = outcome.verdict == Verdict::kPass ? kPassed : outcome.verdict == Verdict::kFail ? kFailed : kNotApplicable;
  const std::string bytes = verdict + outcome.seen.substr(0, kMostBytes - 1);
  return write(kOutcomeFd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

}  // namespace tandem::conform
