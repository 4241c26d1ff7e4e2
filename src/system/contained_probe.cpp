#include "system/contained_probe.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/printable.h"
#include "base/unique_fd.h"
#include "base/write_all.h"

namespace tandem::system {
namespace {

constexpr std::size_t kMostAnswerBytes = 64 * 1024;

// Lines: "1" or "0", the sentence, the facts. Printable() leaves no line feed in them.
std::string LinesOf(const ProbeAnswer& answer) {
  std::string text = fmt::format("{}\n{}\n", answer.works ? 1 : 0, Printable(answer.sentence));
  for (const std::string& fact : answer.facts) text += Printable(fact) + "\n";
  return text;
}

std::optional<ProbeAnswer> AnswerIn(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (lines.size() < 2) return std::nullopt;
  return ProbeAnswer{lines[0] == "1", lines[1], {lines.begin() + 2, lines.end()}};
}

[[noreturn]] void Answer(const UniqueFd& pipe, const std::function<ProbeAnswer()>& question) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE}) std::signal(signal, SIG_DFL);
  const UniqueFd nowhere(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere.get(), stream);
  const std::string lines = LinesOf(question());
  static_cast<void>(WriteAll(pipe, lines, "The answer"));
  _exit(0);
}

// The process's words until it ends or its time is over.
std::string ReadUntil(int pipe, std::int64_t end_ns) {
  std::string text;
  std::array<char, 4096> bytes{};
  while (text.size() < kMostAnswerBytes) {
    const std::int64_t left_ms = (end_ns - MonotonicClock().NowNs()) / 1'000'000;
    pollfd waited{pipe, POLLIN, 0};
    const int ready = poll(&waited, 1, static_cast<int>(std::max<std::int64_t>(left_ms, 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return text;
    const ssize_t count = read(pipe, bytes.data(), bytes.size());
    if (count <= 0) return text;
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

ProbeAnswer AskContained(std::int64_t limit_ms, const std::function<ProbeAnswer()>& question) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {false, fmt::format("No process was started: {}.", std::strerror(errno)), {}};
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  const std::int64_t end_ns = MonotonicClock().NowNs() + limit_ms * 1'000'000;
  const pid_t child = fork();
  if (child < 0) return {false, fmt::format("No process was started: {}.", std::strerror(errno)), {}};
  if (child == 0) Answer(writer, question);
  writer.Reset();
  const auto answer = AnswerIn(ReadUntil(reader.get(), end_ns));
  const bool late = MonotonicClock().NowNs() >= end_ns;
  // A library's own threads may keep a process from ending; its answer is here.
  if (answer || late) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (answer) return *answer;
  if (late) return {false, fmt::format("It gave no answer in {:.1f} s.", static_cast<double>(limit_ms) / 1e3), {}};
  if (WIFSIGNALED(status)) return {false, fmt::format("It ended the probe's process by signal {}.", WTERMSIG(status)), {}};
  return {false, "It ended the probe's process without an answer.", {}};
}

}  // namespace tandem::system
