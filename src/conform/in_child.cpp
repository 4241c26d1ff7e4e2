#include "conform/in_child.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "conform/trial_signals.h"

namespace tandem::conform {

Result<std::optional<int>> RunInChild(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child < 0) return Fail(ErrorKind::kIo, "No process to enter the driver in: {}.", std::strerror(errno));
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    TellNothing();
    _exit(work());
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

// A pipe holds the text until the child has ended.
Result<std::optional<std::string>> TextOfChild(const std::function<std::string()>& work) {
  constexpr std::size_t kMostBytes = 4096;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return Fail(ErrorKind::kIo, "No pipe from a process: {}.", std::strerror(errno));
  const UniqueFd from(ends[0]), to(ends[1]);
  const auto answer = RunInChild([&] {
    const std::string text = work();
    return write(to.get(), text.data(), std::min(text.size(), kMostBytes)) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
  });
  if (!answer.ok()) return answer.error();
  if (*answer != EXIT_SUCCESS) return std::optional<std::string>();
  std::string text(kMostBytes, '\0');
  const ssize_t bytes = read(from.get(), text.data(), text.size());
  text.resize(bytes < 0 ? 0 : static_cast<std::size_t>(bytes));  // an empty text leaves the pipe empty
  return std::optional(std::move(text));
}

}  // namespace tandem::conform
