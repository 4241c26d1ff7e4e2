#include "cli/child_process.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

#include <gtest/gtest.h>

#include "cli/exit_codes.h"

namespace tandem::cli {
namespace {

TEST(RunProgram, ExitCode_IsPassedOn) {
  const auto code = RunProgram({"sh", "-c", "exit 37"}, {}, [] {});
  ASSERT_TRUE(code.ok()) << code.error().message;
  EXPECT_EQ(code->code, 37);
}

TEST(RunProgram, DeathBySignal_Is128AndTheSignal) {
  const auto code = RunProgram({"sh", "-c", "kill -KILL $$"}, {}, [] {});
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(code->code, kExitSignalBase + SIGKILL);
  EXPECT_EQ(code->signal, SIGKILL);
}

TEST(RunProgram, Environment_ReplacesTheCallers) {
  ASSERT_EQ(setenv("TANDEM_TEST_VARIABLE", "old", 1), 0);
  const auto code =
      RunProgram({"sh", "-c", "[ \"$TANDEM_TEST_VARIABLE\" = new ] && [ \"$(env | grep -c TANDEM_TEST_VARIABLE)\" = 1 ]"},
                 {"TANDEM_TEST_VARIABLE=new"}, [] {});
  unsetenv("TANDEM_TEST_VARIABLE");
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(code->code, 0);
}

TEST(RunProgram, UnknownProgram_IsNotFoundAndNamed) {
  const auto code = RunProgram({"there-is-no-such-program"}, {}, [] {});
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().kind, ErrorKind::kNotFound);
  EXPECT_NE(code.error().message.find("there-is-no-such-program"), std::string::npos);
}

TEST(RunProgram, FileWithoutExecutePermission_IsUnsupported) {
  const auto file = std::filesystem::temp_directory_path() / ("tandem-not-executable-" + std::to_string(getpid()));
  std::ofstream(file) << "#!/bin/sh\n";
  const auto code = RunProgram({file.string()}, {}, [] {});
  std::filesystem::remove(file);
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().kind, ErrorKind::kUnsupported);
}

TEST(RunProgram, SignalToUs_ReachesTheProgram) {
  // The program says that it listens before the signal is sent.
  const auto ready = std::filesystem::temp_directory_path() / ("tandem-ready-" + std::to_string(getpid()));
  std::filesystem::remove(ready);
  const auto self = getpid();
  std::thread sender([&] {
    // A process-directed signal must find no thread that would take it by its default action.
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    while (!std::filesystem::exists(ready)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    kill(self, SIGTERM);
  });
  const auto code =
      RunProgram({"sh", "-c", "trap 'exit 42' TERM; : > '" + ready.string() + "'; while :; do sleep 0.05; done"}, {}, [] {});
  sender.join();
  std::filesystem::remove(ready);
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(code->code, 42);
}

}  // namespace
}  // namespace tandem::cli
