#include "tests/integration/process.h"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tandem::test {
namespace {

std::int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// True while the descriptor is open; appends the available bytes.
bool Drain(int& fd, std::string& text) {
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got > 0) {
      text.append(buffer, static_cast<std::size_t>(got));
    } else if (got == 0) {
      close(fd);
      fd = -1;
      return false;
    } else {
      return true;
    }
  }
}

[[noreturn]] void Exec(const std::vector<std::string>& argv, const Environment& environment, int out, int err) {
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  setpgid(0, 0);
  for (const auto& [name, value] : environment) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  std::vector<char*> pointers;
  for (const std::string& argument : argv) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  _exit(127);
}

}  // namespace

Process::Process(const std::vector<std::string>& argv, const Environment& environment) {
  int out[2];
  int err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) std::abort();
  pid_ = fork();
  if (pid_ == 0) Exec(argv, environment, out[1], err[1]);
  close(out[1]);
  close(err[1]);
  out_fd_ = out[0];
  err_fd_ = err[0];
  fcntl(out_fd_, F_SETFL, O_NONBLOCK);
  fcntl(err_fd_, F_SETFL, O_NONBLOCK);
}

Process::~Process() {
  if (pid_ > 0) {
    Kill(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (out_fd_ >= 0) close(out_fd_);
  if (err_fd_ >= 0) close(err_fd_);
}

void Process::Kill(int signal) const {
  if (pid_ > 0) kill(signal == SIGKILL ? -pid_ : pid_, signal);
}

void Process::ReadAvailable(int wait_ms) {
  pollfd fds[2] = {{out_fd_, POLLIN, 0}, {err_fd_, POLLIN, 0}};
  poll(fds, 2, wait_ms);
  if (out_fd_ >= 0) Drain(out_fd_, result_.out);
  if (err_fd_ >= 0) Drain(err_fd_, result_.err);
}

bool Process::WaitForOutput(const std::string& text, int limit_ms) {
  const std::int64_t deadline = NowMs() + limit_ms;
  while (result_.out.find(text) == std::string::npos) {
    if (out_fd_ < 0 || NowMs() >= deadline) return false;
    ReadAvailable(20);
  }
  return true;
}

ProcessResult Process::Wait(int limit_ms) {
  const std::int64_t deadline = NowMs() + limit_ms;
  int status = 0;
  while (pid_ > 0 && waitpid(pid_, &status, WNOHANG) != pid_) {
    if (NowMs() >= deadline) {
      result_.timed_out = true;
      Kill(SIGKILL);
      waitpid(pid_, &status, 0);
      break;
    }
    ReadAvailable(20);
  }
  pid_ = -1;
  ReadAvailable(0);
  result_.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result_;
}

ProcessResult RunProcess(const std::vector<std::string>& argv, const Environment& environment, int limit_ms) {
  Process process(argv, environment);
  return process.Wait(limit_ms);
}

bool OthersMayRead(const std::string& file) {
  return RunProcess({"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "test", "-r", file}, {}, 10000).exit_code ==
         0;
}

}  // namespace tandem::test
