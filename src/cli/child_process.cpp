#include "cli/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/exit_codes.h"

extern char** environ;

namespace tandem::cli {
namespace {

constexpr int kForwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH};

sigset_t WatchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (const int number : kForwarded) sigaddset(&set, number);
  return set;
}

// The caller's environment with `added` in place of variables of the same name.
std::vector<std::string> MergedEnvironment(const std::vector<std::string>& added) {
  std::vector<std::string> merged = added;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const std::string_view name = variable.substr(0, variable.find('='));
    bool replaced = false;
    for (const std::string& pair : added) {
      replaced = replaced || (pair.size() > name.size() && pair[name.size()] == '=' && pair.compare(0, name.size(), name) == 0);
    }
    if (!replaced) merged.emplace_back(variable);
  }
  return merged;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

Result<pid_t> Start(std::vector<std::string> program, std::vector<std::string> environment, const sigset_t& child_mask) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &child_mask);
  std::vector<char*> argv = Pointers(program);
  std::vector<char*> envp = Pointers(environment);
  pid_t child = -1;
  const int error = posix_spawnp(&child, argv[0], nullptr, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  if (error == ENOENT) return Fail(ErrorKind::kNotFound, "There is no program '{}'.", program[0]);
  if (error == EACCES || error == ENOEXEC) {
    return Fail(ErrorKind::kUnsupported, "'{}' cannot be run: {}.", program[0], std::strerror(error));
  }
  if (error != 0) return Fail(ErrorKind::kIo, "Starting '{}' failed: {}.", program[0], std::strerror(error));
  return child;
}

ProgramEnd EndOf(pid_t child, int status) {
  if (WIFSIGNALED(status)) return {child, kExitSignalBase + WTERMSIG(status), WTERMSIG(status)};
  return {child, WEXITSTATUS(status), 0};
}

// Passes signals on until the child ended.
ProgramEnd WaitForEnd(pid_t child, const sigset_t& watched) {
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return EndOf(child, status);
    siginfo_t info;
    const int number = sigwaitinfo(&watched, &info);
    // The terminal sends to the whole foreground group: the program has that one already.
    if (number > 0 && number != SIGCHLD && info.si_code != SI_KERNEL) kill(child, number);
  }
}

}  // namespace

Result<ProgramEnd> RunProgram(const std::vector<std::string>& program, const std::vector<std::string>& environment,
                              const std::function<void()>& started) {
  const sigset_t watched = WatchedSignals();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &watched, &before);
  auto child = Start(program, MergedEnvironment(environment), before);
  if (child.ok()) started();
  auto end = child.ok() ? Result<ProgramEnd>(WaitForEnd(*child, watched)) : Result<ProgramEnd>(child.error());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return end;
}

}  // namespace tandem::cli
