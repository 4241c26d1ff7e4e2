#include "outputs/testing/x_server.h"

#include <csignal>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tandem::outputs::testing {
namespace {

[[noreturn]] void Exec(int ready_fd, std::vector<std::string>& words) {
  dup2(ready_fd, STDOUT_FILENO);
  const int null = open("/dev/null", O_WRONLY);
  if (null >= 0) dup2(null, STDERR_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

void WriteDevice(std::ofstream& file, const char* name, const std::string& card) {
  file << "Section \"Device\"\n Identifier \"" << name << "\"\n Driver \"modesetting\"\n Option \"kmsdev\" \"" << card
       << "\"\n Option \"AccelMethod\" \"glamor\"\nEndSection\n";
}

}  // namespace

std::unique_ptr<XServer> XServer::StartXvfb(const std::vector<std::string>& options) {
  // For GLX the server would load Mesa's driver.
  std::vector<std::string> words{"Xvfb",       "-displayfd", "1",   "-screen",    "0",
                                 "640x480x24", "-nolisten",  "tcp", "-extension", "GLX"};
  words.insert(words.end(), options.begin(), options.end());
  return Start(std::move(words));
}

std::unique_ptr<XServer> XServer::StartXorg(const std::string& card, const std::string& other_card) {
  const std::string name = "/tmp/tandem-xorg-" + std::to_string(getpid());
  std::ofstream file(name + ".conf");
  file << "Section \"ServerFlags\"\n Option \"AutoAddDevices\" \"false\"\n Option \"AutoAddGPU\" \"false\"\nEndSection\n";
  WriteDevice(file, "shown", card);
  WriteDevice(file, "other", other_card);
  file << "Section \"Screen\"\n Identifier \"screen\"\n Device \"shown\"\n GPUDevice \"other\"\n DefaultDepth 24\nEndSection\n";
  file.close();
  return Start({"Xorg", "-displayfd", "1", "-config", name + ".conf", "-logfile", name + ".log", "-noreset", "-nolisten", "tcp",
                "vt7", "-novtswitch"});
}

std::unique_ptr<XServer> XServer::Start(std::vector<std::string> words) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return nullptr;
  const pid_t process = fork();
  if (process == 0) Exec(ready[1], words);
  close(ready[1]);
  // The number and the end of its line arrive separately; a server that cannot write the second exits.
  std::string text;
  for (char letter = 0; process > 0 && letter != '\n' && read(ready[0], &letter, 1) == 1;) text += letter;
  close(ready[0]);
  std::unique_ptr<XServer> server(new XServer(process, ":" + text.substr(0, text.find('\n'))));
  if (text.empty()) return nullptr;
  return server;
}

void XServer::Stop() {
  const pid_t process = std::exchange(process_, -1);
  if (process <= 0) return;
  kill(process, SIGTERM);
  waitpid(process, nullptr, 0);
}

}  // namespace tandem::outputs::testing
