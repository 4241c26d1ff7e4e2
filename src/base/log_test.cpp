#include "base/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log_listener.h"
#include "base/unique_fd.h"

namespace tandem {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class LogFile : public testing::Test {
 protected:
  LogFile() { std::remove(path_.c_str()); }
  ~LogFile() override {
    EXPECT_TRUE(ConfigureLog({LogLevel::kOff, ""}).ok());
    std::remove(path_.c_str());
  }

  std::string path_ = testing::TempDir() + "tandem_log_test." + std::to_string(getpid());
};

TEST(ParseLogSettings, EachLevel_IsKnown) {
  EXPECT_EQ(ParseLogSettings("")->level, LogLevel::kOff);
  EXPECT_EQ(ParseLogSettings("off")->level, LogLevel::kOff);
  EXPECT_EQ(ParseLogSettings("error")->level, LogLevel::kError);
  EXPECT_EQ(ParseLogSettings("warn")->level, LogLevel::kWarn);
  EXPECT_EQ(ParseLogSettings("info")->level, LogLevel::kInfo);
  EXPECT_EQ(ParseLogSettings("debug")->level, LogLevel::kDebug);
}

TEST(ParseLogSettings, File_MayHoldCommas) {
  const auto settings = ParseLogSettings("info,file=/tmp/a,b.log");
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->level, LogLevel::kInfo);
  EXPECT_EQ(settings->file, "/tmp/a,b.log");
}

TEST(ParseLogSettings, UnknownLevelOrOption_IsSaid) {
  EXPECT_THAT(ParseLogSettings("loud").error().message, HasSubstr("'loud'"));
  EXPECT_THAT(ParseLogSettings("info,to=x").error().message, HasSubstr("'to=x'"));
  EXPECT_FALSE(ParseLogSettings("info,file=").ok());
  EXPECT_FALSE(ParseLogSettings("info,").ok());
}

std::vector<std::string> heard;

TEST_F(LogFile, Listener_HearsWarningsAndErrors_WhateverIsWritten) {
  heard.clear();
  ASSERT_TRUE(ConfigureLog({LogLevel::kError, path_}).ok());
  SetLogListener([](std::string_view line) noexcept { heard.emplace_back(line); });
  Log(LogLevel::kWarn, "Warning {}.", 1);
  Log(LogLevel::kError, "Error {}.", 2);
  Log(LogLevel::kInfo, "Not for anybody.");
  SetLogListener(nullptr);
  Log(LogLevel::kError, "Later.");
  EXPECT_THAT(heard, testing::ElementsAre("Warning 1.", "Error 2."));
  EXPECT_THAT(ReadAll(path_), AllOf(HasSubstr("Error 2."), HasSubstr("Later."), Not(HasSubstr("Warning"))));
}

TEST_F(LogFile, Level_LetsThroughWhatMatters) {
  ASSERT_TRUE(ConfigureLog({LogLevel::kWarn, path_}).ok());
  EXPECT_TRUE(LogEnabled(LogLevel::kError));
  EXPECT_FALSE(LogEnabled(LogLevel::kInfo));
  Log(LogLevel::kError, "first {}", 1);
  Log(LogLevel::kWarn, "second {}", 2);
  Log(LogLevel::kInfo, "third {}", 3);
  const std::string text = ReadAll(path_);
  EXPECT_THAT(text, HasSubstr("[error]"));
  EXPECT_THAT(text, HasSubstr("first 1\n"));
  EXPECT_THAT(text, HasSubstr("second 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("third")));
}

TEST_F(LogFile, BracesInArguments_AreNotFormattedAgain) {
  ASSERT_TRUE(ConfigureLog({LogLevel::kInfo, path_}).ok());
  Log(LogLevel::kInfo, "{}", "{} {x} %n");
  EXPECT_THAT(ReadAll(path_), HasSubstr("{} {x} %n\n"));
}

TEST_F(LogFile, ControlCharacters_AreEscaped) {
  ASSERT_TRUE(ConfigureLog({LogLevel::kInfo, path_}).ok());
  Log(LogLevel::kInfo, "Adapter {}.", "one\n[tandem] [error] two\033[2J\x9B");
  EXPECT_THAT(ReadAll(path_), HasSubstr("Adapter one\\x0A[tandem] [error] two\\x1B[2J\\x9B.\n"));
}

TEST_F(LogFile, PathThatCannotBeOpened_KeepsSettings) {
  ASSERT_TRUE(ConfigureLog({LogLevel::kInfo, path_}).ok());
  const auto result = ConfigureLog({LogLevel::kDebug, "/proc/no/such/file"});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::kIo);
  EXPECT_FALSE(LogEnabled(LogLevel::kDebug));
  Log(LogLevel::kInfo, "still here");
  EXPECT_THAT(ReadAll(path_), HasSubstr("still here"));
}

TEST_F(LogFile, PipeWithoutAReader_IsRefusedAtOnce) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const auto result = ConfigureLog({LogLevel::kDebug, path_});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, testing::EndsWith("has no reader."));
}

TEST_F(LogFile, PipeThatIsFull_LosesLinesAndTheProgramGoesOn) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const UniqueFd reader(open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(ConfigureLog({LogLevel::kInfo, path_}).ok());
  const std::string words(1000, 'w');
  for (int i = 0; i < 1000; ++i) Log(LogLevel::kInfo, "{}", words);  // a pipe holds 64 KiB
  std::string first(1100, '\0');
  EXPECT_EQ(read(reader.get(), first.data(), first.size()), static_cast<ssize_t>(first.size()));
  EXPECT_THAT(first, testing::HasSubstr(words));
}

TEST_F(LogFile, ManyThreads_WriteWholeLines) {
  ASSERT_TRUE(ConfigureLog({LogLevel::kInfo, path_}).ok());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int line = 0; line < 50; ++line) Log(LogLevel::kInfo, "whole line");
    });
  }
  for (auto& thread : threads) thread.join();
  std::ifstream file(path_);
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) EXPECT_THAT(line, testing::EndsWith("] whole line"));
  EXPECT_EQ(lines, 200);
}

// Logs before main and after it.
struct AroundMain {
  AroundMain() { Log(LogLevel::kDebug, "before main"); }
  ~AroundMain() { Log(LogLevel::kDebug, "at exit"); }
} g_around_main;

// Each death test runs in a process of its own, which starts with the TANDEM_LOG that is set here.
class LogDeathTest : public testing::Test {
 protected:
  LogDeathTest() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
  ~LogDeathTest() override { unsetenv("TANDEM_LOG"); }

  [[noreturn]] static void LogAndExit() {
    Log(LogLevel::kInfo, "from main");
    std::exit(0);
  }
};

TEST_F(LogDeathTest, Unset_IsSilent) {
  unsetenv("TANDEM_LOG");
  EXPECT_EXIT(LogAndExit(), testing::ExitedWithCode(0), "^$");
}

TEST_F(LogDeathTest, Info_GoesToStandardError) {
  setenv("TANDEM_LOG", "info", 1);
  EXPECT_EXIT(LogAndExit(), testing::ExitedWithCode(0), "\\[tandem\\] \\[info\\] .*from main");
}

TEST_F(LogDeathTest, WrongSetting_IsSaid) {
  setenv("TANDEM_LOG", "loud", 1);
  EXPECT_EXIT(LogAndExit(), testing::ExitedWithCode(0), "TANDEM_LOG is ignored\\. Log level 'loud' is not one of");
}

TEST_F(LogDeathTest, BeforeMainAndAtExit_IsWritten) {
  setenv("TANDEM_LOG", "debug", 1);
  EXPECT_EXIT(LogAndExit(), testing::ExitedWithCode(0), "before main\n.*from main\n.*at exit\n");
}

}  // namespace
}  // namespace tandem
