#include "status/run_note.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace tandem::status {
namespace {

class RunNoteTest : public testing::Test {
 protected:
  RunNoteTest() : file_(*RunNoteFile::Create()) { setenv(kRunNoteVariable, file_.path().c_str(), 1); }
  ~RunNoteTest() override { unsetenv(kRunNoteVariable); }

  RunNoteFile file_;
};

TEST_F(RunNoteTest, Read_NothingNoted_IsEmpty) {
  const RunNote note = file_.Read();
  EXPECT_FALSE(note.instance || note.swap_chain);
  EXPECT_EQ(note.stepped_aside, "");
}

TEST_F(RunNoteTest, Read_AfterNotes_HasThem) {
  NoteInstance();
  NoteStepAside("No adapter 'x'.");
  NoteStepAside(std::string(5000, 'y'));
  NoteSwapChain();
  const RunNote note = file_.Read();
  EXPECT_TRUE(note.instance && note.swap_chain);
  EXPECT_EQ(note.stepped_aside.substr(0, 4), "yyyy");
  EXPECT_LT(note.stepped_aside.size(), 600U);
}

TEST_F(RunNoteTest, DriverCrash_FirstOneIsKept_ThoughTheFileIsFull) {
  for (int i = 0; i < 5000; ++i) NoteStepAside("again and again");
  const UniqueFd note = OpenRunNote();
  const std::array<std::uint64_t, 3> stack{0x12, 0xFFFFFFFFFFFFFFFF, 0};
  NoteDriverCrash(note, 11, "DxgkDdiPresent", stack, "/a folder/driver.so");
  NoteDriverCrash(note, 6, nullptr, {}, "/other.so");
  const auto crash = file_.Read().driver_crash;
  ASSERT_TRUE(crash.has_value());
  EXPECT_EQ(crash->signal, 11);
  EXPECT_EQ(crash->ddi, "DxgkDdiPresent");
  EXPECT_EQ(crash->stack, std::vector<std::uint64_t>(stack.begin(), stack.end()));
  EXPECT_EQ(crash->file, "/a folder/driver.so");
}

TEST_F(RunNoteTest, DriverCrash_OutsideADdi_WithoutFrames) {
  NoteDriverCrash(OpenRunNote(), 6, nullptr, {}, std::string(5000, 'x'));
  const auto crash = file_.Read().driver_crash;
  ASSERT_TRUE(crash.has_value());
  EXPECT_EQ(crash->ddi, "");
  EXPECT_TRUE(crash->stack.empty());
  EXPECT_LT(crash->file.size(), 600U);
}

TEST_F(RunNoteTest, Note_ThousandsOfThem_KeepTheFileSmall) {
  for (int i = 0; i < 5000; ++i) NoteStepAside("again and again");
  EXPECT_LE(std::filesystem::file_size(file_.path()), 16384U);
}

TEST_F(RunNoteTest, Note_FileIsALink_LeavesItsTargetAlone) {
  const std::string target = file_.path() + ".target";
  const std::string link = file_.path() + ".link";
  std::ofstream(target) << "mine";
  std::filesystem::create_symlink(target, link);
  setenv(kRunNoteVariable, link.c_str(), 1);
  NoteInstance();
  EXPECT_EQ(std::filesystem::file_size(target), 4U);
  std::filesystem::remove(link);
  std::filesystem::remove(target);
}

TEST_F(RunNoteTest, Note_FileIsGone_MakesNone) {
  const std::string missing = file_.path() + ".missing";
  setenv(kRunNoteVariable, missing.c_str(), 1);
  NoteInstance();
  EXPECT_FALSE(std::filesystem::exists(missing));
}

}  // namespace
}  // namespace tandem::status
