#include "config/session_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

namespace tandem::config {
namespace {

namespace fs = std::filesystem;

class SessionFile : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string Path() const { return (folder_ / "environment.d/60-tandem.conf").string(); }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("tandem_session_" + std::to_string(getpid()));
};

TEST_F(SessionFile, Path_FollowsTheScope) {
  setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  EXPECT_EQ(*SessionFilePath(SessionScope::kUser), Path());
  unsetenv("XDG_CONFIG_HOME");
  EXPECT_EQ(*SessionFilePath(SessionScope::kSystem), "/etc/environment.d/60-tandem.conf");
}

TEST_F(SessionFile, Text_NamesFoldersThatNoLoaderSearchesAlone) {
  const std::string installed = *SessionFileText({.data_directory = "/usr/share", .sleeping = {}, .shown = ""});
  EXPECT_EQ(SessionValue(installed, "TANDEM_ENABLE"), "1");
  EXPECT_EQ(SessionValue(installed, "TANDEM_SESSION"), "1");
  EXPECT_EQ(SessionValue(installed, "XDG_DATA_DIRS"), std::nullopt);
  EXPECT_EQ(SessionValue(installed, "VK_LOADER_DRIVERS_DISABLE"), std::nullopt);
  const std::string elsewhere =
      *SessionFileText({.data_directory = "/opt/t/share", .sleeping = {"a.json", "b.json"}, .shown = ""});
  EXPECT_EQ(SessionValue(elsewhere, "XDG_DATA_DIRS"), "${XDG_DATA_DIRS:-/usr/local/share:/usr/share}:/opt/t/share");
  EXPECT_EQ(SessionValue(elsewhere, "VK_LOADER_DRIVERS_DISABLE"), "a.json,b.json");
  EXPECT_EQ(SessionValue(elsewhere, "VK_ADD_DRIVER_FILES"), "/opt/t/share/tandem/icd.d/tandem_icd.json");
  EXPECT_EQ(SessionValue(elsewhere, kShownAsleepVariable), std::nullopt);
  const std::string shown = *SessionFileText({.data_directory = "/usr/share", .sleeping = {"a.json"}, .shown = "/etc/a.json"});
  EXPECT_EQ(SessionValue(shown, kShownAsleepVariable), "/etc/a.json");
}

TEST_F(SessionFile, Text_NameThatWouldBeExpanded_IsRefused) {
  for (const char* name : {"/opt/$HOME/share", "/opt/a\nB=1", "/opt/\"a", "/opt/a#b", "/opt/a\\b"}) {
    const auto text = SessionFileText({.data_directory = name, .sleeping = {}, .shown = ""});
    ASSERT_FALSE(text.ok()) << name;
    EXPECT_EQ(text.error().kind, ErrorKind::kInvalidArgument);
    EXPECT_FALSE(SessionFileText({.data_directory = "/usr/share", .sleeping = {name}, .shown = ""}).ok()) << name;
    EXPECT_FALSE(SessionFileText({.data_directory = "/usr/share", .sleeping = {"a.json"}, .shown = name}).ok()) << name;
  }
}

TEST_F(SessionFile, WriteAndRemove_LeaveNothingBehind) {
  EXPECT_FALSE(*RemoveSessionFile(Path()));
  const std::string text = *SessionFileText({.data_directory = "/usr/share", .sleeping = {}, .shown = ""});
  ASSERT_TRUE(WriteSessionFile(Path(), text).ok());
  EXPECT_EQ(**ReadSessionFile(Path()), text);
  ASSERT_TRUE(WriteSessionFile(Path(), text).ok());
  EXPECT_TRUE(*RemoveSessionFile(Path()));
  EXPECT_FALSE(fs::exists(Path()));
}

TEST_F(SessionFile, FileOfSomebodyElse_IsNeitherReplacedNorRemoved) {
  fs::create_directories(fs::path(Path()).parent_path());
  std::ofstream(Path()) << "TANDEM_ENABLE=1\n";
  EXPECT_EQ(WriteSessionFile(Path(), "x").error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(RemoveSessionFile(Path()).error().kind, ErrorKind::kInvalidArgument);
  std::ifstream file(Path());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "TANDEM_ENABLE=1\n");
}

}  // namespace
}  // namespace tandem::config
