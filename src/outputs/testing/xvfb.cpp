#include "outputs/testing/xvfb.h"

#include <csignal>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tandem::outputs::testing {
namespace {

[[noreturn]] void Exec(int ready_fd, const std::vector<std::string>& options) {
  dup2(ready_fd, STDOUT_FILENO);
  const int null = open("/dev/null", O_WRONLY);
  if (null >= 0) dup2(null, STDERR_FILENO);
  std::vector<std::string> words{"Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp("Xvfb", arguments.data());
  _exit(127);
}

}  // namespace

std::unique_ptr<Xvfb> Xvfb::Start(const std::vector<std::string>& options) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return nullptr;
  const pid_t process = fork();
  if (process == 0) Exec(ready[1], options);
  close(ready[1]);
  // The number and the end of its line arrive separately; a server that cannot write the second exits.
  std::string text;
  for (char letter = 0; process > 0 && letter != '\n' && read(ready[0], &letter, 1) == 1;) text += letter;
  close(ready[0]);
  std::unique_ptr<Xvfb> server(new Xvfb(process, ":" + text.substr(0, text.find('\n'))));
  if (text.empty()) return nullptr;
  return server;
}

void Xvfb::Stop() {
  const pid_t process = std::exchange(process_, -1);
  if (process <= 0) return;
  kill(process, SIGTERM);
  waitpid(process, nullptr, 0);
}

}  // namespace tandem::outputs::testing
