#include "config/policy/policy_folders.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tandem::config {
namespace {

using testing::ElementsAre;

TEST(PolicyFolders, Files_AreReadWeakestFirstAndWhatEverybodyMayWriteIsNot) {
  const auto root = std::filesystem::temp_directory_path() / ("tandem-policy-files-" + std::to_string(getpid()));
  std::filesystem::remove_all(root);
  for (const char* const folder : {"vendor", "etc"}) std::filesystem::create_directories(root / folder);
  const auto write = [&](const char* name, const char* text) { std::ofstream(root / name) << text; };
  write("vendor/b.toml", "[default]\nstats = true\n");
  write("vendor/a.toml", "[default]\nlock = [\"use\"]\n");
  write("vendor/a.conf", "no TOML");
  write("etc/open.toml", "[default]\nuse = \"never\"\n");
  ASSERT_EQ(chmod((root / "etc/open.toml").c_str(), 0666), 0);
  std::filesystem::create_directory(root / "etc/folder.toml");
  write("etc/z.toml", "[default]\nlock = [\"use\", \"render\"]\n");
  write("user.toml", "[app.x]\n");
  const PolicyFolders folders{
      .vendor = {root / "vendor", root / "none"}, .administrator = root / "etc", .user = (root / "user.toml").string()};
  std::vector<std::string> read;
  for (const PolicyFile& file : ReadPolicyFiles(folders)) {
    const std::string name = file.path.substr(root.string().size() + 1);
    read.push_back(name + " " + (file.faults.empty() ? std::to_string(file.tables.size()) : file.faults.front().sentence));
  }
  EXPECT_THAT(read, ElementsAre("vendor/a.toml lock counts in the administrator's files alone.", "vendor/b.toml 1",
                                "etc/folder.toml It is not a regular file.", "etc/open.toml Everybody may write it.",
                                "etc/z.toml 1", "user.toml 1"));
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace tandem::config
