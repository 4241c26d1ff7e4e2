#include "status/live_folder.h"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace tandem::status {
namespace {

namespace fs = std::filesystem;

// The test's own folder, which does not exist yet.
class LiveFolderTest : public testing::Test {
 protected:
  LiveFolderTest()
      : path_(testing::TempDir() + "live_folder_test_" + std::to_string(getpid()) + "_" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(path_);
  }
  ~LiveFolderTest() override { fs::remove_all(path_); }

  [[nodiscard]] LivePrograms List() const {
    auto found = ListLivePrograms(path_);
    EXPECT_TRUE(found.ok()) << found.error().message;
    return found.ok() ? *std::move(found) : LivePrograms{};
  }
  [[nodiscard]] std::size_t Files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }
  [[nodiscard]] fs::path OnlyFile() const { return fs::directory_iterator(path_)->path(); }

  const std::string path_;
};

LiveSwapChain Figures(std::uint64_t shown) {
  LiveSwapChain figures;
  figures.reported_ns = 1;
  figures.width = figures.height = 8;
  figures.frames.shown = shown;
  return figures;
}

TEST_F(LiveFolderTest, ReportedFigures_AreListedUntilClosed) {
  LiveFile file(path_);
  EXPECT_FALSE(fs::exists(path_)) << "nothing is made before the first swap chain";
  const int first = file.Open();
  const int second = file.Open();
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
  for (std::uint64_t shown = 1; shown <= 5; ++shown) file.Report(first, Figures(shown));
  file.Report(second, Figures(70));
  LivePrograms found = List();
  ASSERT_EQ(found.programs.size(), 1U);
  EXPECT_EQ(found.programs[0].process, OwnProcess());
  EXPECT_EQ(found.programs[0].program, "status_test");
  ASSERT_EQ(found.programs[0].swap_chains.size(), 2U);
  EXPECT_EQ(found.programs[0].swap_chains[0].frames.shown, 5U);
  EXPECT_EQ(found.programs[0].swap_chains[1].frames.shown, 70U);
  file.Close(first);
  EXPECT_EQ(List().programs[0].swap_chains.size(), 1U);
  EXPECT_EQ(file.Open(), 0) << "the place is free again";
  file.Remove();
  EXPECT_TRUE(List().programs.empty());
}

TEST_F(LiveFolderTest, FolderAndFile_AreThisUsersAlone) {
  LiveFile file(path_);
  ASSERT_EQ(file.Open(), 0);
  struct stat found {};
  ASSERT_EQ(stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0700U);
  ASSERT_EQ(stat(OnlyFile().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0600U);
}

TEST_F(LiveFolderTest, MoreSwapChainsThanPlaces_AreLeftOut) {
  LiveFile file(path_);
  for (std::uint32_t i = 0; i < kLiveSwapChains; ++i) EXPECT_EQ(file.Open(), static_cast<int>(i));
  const int none = file.Open();
  EXPECT_EQ(none, -1);
  file.Report(none, Figures(1));
  file.Close(none);
  EXPECT_TRUE(List().programs[0].swap_chains.empty());
}

TEST_F(LiveFolderTest, FolderThatCannotBeHad_IsSilence) {
  for (const std::string& folder : {std::string(), std::string("/nonexistent/tandem"), std::string("/proc/tandem")}) {
    LiveFile file(folder);
    EXPECT_EQ(file.Open(), -1) << folder;
  }
  ASSERT_TRUE(fs::create_directory(path_));
  ASSERT_EQ(chmod(path_.c_str(), 0770), 0);
  LiveFile file(path_);
  EXPECT_EQ(file.Open(), -1) << "others may write into it";
  EXPECT_EQ(ListLivePrograms(path_).error().kind, ErrorKind::kUnsupported);
}

TEST_F(LiveFolderTest, NoFolder_IsNoProgram) { EXPECT_TRUE(List().programs.empty()); }

// Starts a process that reports and then waits to be killed.
pid_t StartReporter(const std::string& folder) {
  int ready[2];
  EXPECT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto* const file = new LiveFile(folder);  // never removed
    file->Report(file->Open(), Figures(9));
    const bool told = write(ready[1], "x", 1) == 1;
    for (;;) {
      if (!told || pause() == 0) _exit(1);
    }
  }
  char byte = 0;
  EXPECT_EQ(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  close(ready[1]);
  return child;
}

TEST_F(LiveFolderTest, TwoProgramsAndAKilledOne_OnlyLiveOnesAreListedAndTheRestIsRemoved) {
  LiveFile file(path_);
  file.Report(file.Open(), Figures(1));
  const pid_t one = StartReporter(path_);
  const pid_t other = StartReporter(path_);
  EXPECT_EQ(List().programs.size(), 3U);
  kill(one, SIGKILL);
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(one), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(List().programs.size(), 2U) << "not even waited for";
  EXPECT_EQ(Files(), 2U);
  kill(other, SIGKILL);
  EXPECT_EQ(waitpid(one, nullptr, 0), one);
  EXPECT_EQ(waitpid(other, nullptr, 0), other);
  const LivePrograms found = List();
  ASSERT_EQ(found.programs.size(), 1U);
  EXPECT_EQ(found.programs[0].process, OwnProcess());
  EXPECT_EQ(Files(), 1U);
}

TEST_F(LiveFolderTest, FramesOfClosedSwapChains_AreNotForgotten) {
  LiveFile file(path_);
  for (const std::uint64_t shown : {5U, 7U}) {
    const int place = file.Open();
    file.Report(place, Figures(shown - 1));
    file.Report(place, Figures(shown));
    file.Close(place);
  }
  EXPECT_EQ(List().programs[0].earlier.shown, 12U);
  file.Report(file.Open(), Figures(3));
  EXPECT_EQ(List().programs[0].earlier.shown, 12U);
  EXPECT_EQ(List().programs[0].swap_chains[0].frames.shown, 3U);
}

TEST_F(LiveFolderTest, KilledProgram_IsLeftToWhoStartedIt) {
  const LiveProcess run = OwnProcess();
  ASSERT_EQ(setenv(kRunVariable, NameOf(run).c_str(), 1), 0);
  const pid_t one = StartReporter(path_);
  const pid_t other = StartReporter(path_);
  ASSERT_EQ(setenv(kRunVariable, "1-1", 1), 0);  // names a process that does not exist
  const pid_t orphan = StartReporter(path_);
  unsetenv(kRunVariable);
  for (const pid_t each : {one, orphan}) {
    kill(each, SIGKILL);
    EXPECT_EQ(waitpid(each, nullptr, 0), each);
  }
  EXPECT_EQ(List().programs.size(), 1U);
  EXPECT_EQ(Files(), 2U) << "the orphan's is removed, the other one's is waited for";
  EXPECT_TRUE(TakeEndedPrograms(path_, {run.pid, run.start + 1, run.pid_namespace}).empty());
  const auto ended = TakeEndedPrograms(path_, run);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].process.pid, static_cast<std::uint32_t>(one));
  EXPECT_EQ(ended[0].swap_chains[0].frames.shown, 9U);
  EXPECT_EQ(Files(), 1U);
  kill(other, SIGKILL);
  EXPECT_EQ(waitpid(other, nullptr, 0), other);
  EXPECT_TRUE(TakeEndedPrograms(path_ + "/none", run).empty());
}

TEST_F(LiveFolderTest, PidOfAnotherStart_IsRemoved) {
  LiveFile file(path_);
  file.Report(file.Open(), Figures(1));
  const fs::path real = OnlyFile();
  fs::rename(real, path_ + "/" + std::to_string(getpid()) + "-1");
  EXPECT_TRUE(List().programs.empty());
  EXPECT_EQ(Files(), 0U);
}

TEST_F(LiveFolderTest, DamagedFileOfALiveProgram_IsSaidAndKept) {
  LiveFile file(path_);
  file.Report(file.Open(), Figures(1));
  const fs::path path = OnlyFile();
  const auto expect = [&](const std::string& sentence) {
    const LivePrograms found = List();
    EXPECT_TRUE(found.programs.empty());
    ASSERT_EQ(found.unreadable.size(), 1U);
    EXPECT_EQ(found.unreadable[0], path.string() + ": " + sentence);
    EXPECT_EQ(Files(), 1U);
  };
  fs::resize_file(path, 100);
  expect("The file has 100 bytes in place of " + std::to_string(sizeof(LiveFileLayout)) + ".");
  file.Report(0, Figures(2));  // truncation of the file must not harm its writer
  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  expect("It is no file of this user.");
  fs::remove(path);
  fs::create_symlink("/dev/zero", path);
  expect("The file cannot be opened: Too many levels of symbolic links.");
  fs::remove(path);
  LiveProcess someone_else = OwnProcess();
  ++someone_else.pid;
  const LiveFileLayout content = MakeLiveFile(someone_else, {}, "x");
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&content), sizeof(content));
  expect("It says that it is of process " + std::to_string(someone_else.pid) + ".");
}

TEST_F(LiveFolderTest, OtherNames_AreLeftAlone) {
  ASSERT_TRUE(fs::create_directory(path_));
  ASSERT_EQ(chmod(path_.c_str(), 0700), 0);
  for (const char* name : {"notes.txt", "12", "12-", "-12", "12-3x", "012-3", "0-3", "99999999999999999999-1", ".new"}) {
    std::ofstream(path_ + "/" + name) << "x";
  }
  const std::size_t before = Files();
  const LivePrograms found = List();
  EXPECT_TRUE(found.programs.empty());
  EXPECT_TRUE(found.unreadable.empty());
  EXPECT_EQ(Files(), before);
}

TEST_F(LiveFolderTest, ProgramOfAnotherPidNamespace_IsLeftAloneUntilItHasEnded) {
  const pid_t reporter = StartReporter(path_);
  const fs::path path = OnlyFile();
  LiveFileLayout content;
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(&content), sizeof(content));
  ++content.pid_namespace;
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
      .write(reinterpret_cast<const char*>(&content), sizeof(content));
  const LivePrograms found = List();
  EXPECT_TRUE(found.programs.empty() && found.unreadable.empty());
  EXPECT_EQ(Files(), 1U);
  kill(reporter, SIGKILL);
  EXPECT_EQ(waitpid(reporter, nullptr, 0), reporter);
  EXPECT_TRUE(List().programs.empty());
  EXPECT_EQ(Files(), 0U);
}

TEST_F(LiveFolderTest, EndedProgramOfAnotherPidNamespace_IsLeftForAWhileToWhoStartedIt) {
  ASSERT_TRUE(fs::create_directory(path_));
  ASSERT_EQ(chmod(path_.c_str(), 0700), 0);
  const std::uint64_t elsewhere = OwnProcess().pid_namespace + 1;
  const LiveFileLayout content = MakeLiveFile({999'999'999, 5, elsewhere}, {999'999'998, 4, elsewhere}, "x");
  const std::string path = path_ + "/999999999-5";
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&content), sizeof(content));
  EXPECT_TRUE(List().programs.empty());
  EXPECT_EQ(Files(), 1U);
  fs::last_write_time(path, fs::last_write_time(path) - std::chrono::hours(1));
  EXPECT_TRUE(List().programs.empty());
  EXPECT_EQ(Files(), 0U);
}

}  // namespace
}  // namespace tandem::status
