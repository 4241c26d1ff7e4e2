#include "tests/integration/painted_window.h"

#include <chrono>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {

void LookAtPainted(const XServer& server, Environment environment, const PaintedWindow& window,
                   const std::function<bool(const std::vector<std::uint32_t>& shot)>& look) {
  environment.emplace_back("DISPLAY", server.display());
  std::vector<std::string> command{TANDEM_COMMAND, "run"};
  command.insert(command.end(), window.words.begin(), window.words.end());
  command.insert(command.end(),
                 {Program("tandem_paint"), "--xcb", "--hold", "--frames", std::to_string(window.frames), "--mode", "fifo"});
  const std::string size = std::to_string(window.width) + "x" + std::to_string(window.height);
  command.insert(command.end(), {"--size", window.stretched.empty() ? size : window.stretched});
  if (!window.stretched.empty()) command.insert(command.end(), {"--stretch", size});
  Process process(command, environment);
  ASSERT_TRUE(process.WaitForOutput("painted", 60000)) << process.Wait(1000).err;
  bool content = false;
  for (int attempt = 0; attempt < 1000 && !content; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto shot = Screenshot(server.display(), window.width, window.height);
    content = shot.size() == std::size_t{window.width} * window.height && look(shot);
  }
  process.Kill(SIGTERM);
}

}  // namespace tandem::test
