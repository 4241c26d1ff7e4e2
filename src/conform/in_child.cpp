#include "conform/in_child.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

}  // namespace tandem::conform
