#include "base/replacement_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tandem {
namespace {

namespace fs = std::filesystem;

class ReplacementFileTest : public testing::Test {
 protected:
  ReplacementFileTest() : folder_(fs::path(testing::TempDir()) / ("replacement-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    std::ofstream(path_) << "before";
  }
  ~ReplacementFileTest() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string Text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  [[nodiscard]] std::ptrdiff_t Files() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }

  const fs::path folder_;
  const std::string path_ = folder_ / "file";
};

TEST_F(ReplacementFileTest, Published_ReplacesAndTakesMore) {
  auto file = *ReplacementFile::Create(path_);
  ASSERT_TRUE(file.Write("one ").ok() && file.Write("two").ok());
  EXPECT_EQ(Text(), "before");
  ASSERT_TRUE(file.Publish().ok());
  EXPECT_EQ(Text(), "one two");
  ASSERT_TRUE(file.Write(" three").ok() && file.Publish().ok());
  EXPECT_EQ(Text(), "one two three");
  EXPECT_EQ(Files(), 1);
}

TEST_F(ReplacementFileTest, NotPublished_LeavesNothing) {
  {
    auto file = *ReplacementFile::Create(path_);
    ASSERT_TRUE(file.Write("one").ok());
    const ReplacementFile moved = std::move(file);
    EXPECT_EQ(Files(), 2);
  }
  EXPECT_EQ(Text(), "before");
  EXPECT_EQ(Files(), 1);
}

TEST_F(ReplacementFileTest, LinkBesideTheFile_IsNotFollowed) {
  std::ofstream(folder_ / "precious") << "before";
  fs::create_symlink(folder_ / "precious", path_ + "." + std::to_string(getpid()));
  auto file = *ReplacementFile::Create(path_);
  ASSERT_TRUE(file.Write("other").ok() && file.Publish().ok());
  EXPECT_EQ(Text(), "other");
  EXPECT_EQ(fs::file_size(folder_ / "precious"), 6U);
}

TEST_F(ReplacementFileTest, LinkToAFile_StaysAndTheFileIsReplaced) {
  fs::create_directory(folder_ / "elsewhere");
  fs::rename(path_, folder_ / "elsewhere/file");
  fs::permissions(folder_ / "elsewhere/file", fs::perms(0600));
  fs::create_symlink(folder_ / "elsewhere/file", path_);
  auto file = *ReplacementFile::Create(path_);
  ASSERT_TRUE(file.Write("other").ok());
  EXPECT_EQ(Text(), "before");
  ASSERT_TRUE(file.Publish().ok());
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(Text(), "other");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0600));
  EXPECT_EQ(Files(), 2);
}

TEST_F(ReplacementFileTest, Pipe_IsWrittenTo) {
  fs::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(ReplacementFile::Create(path_).error().kind, ErrorKind::kNotFound) << "nobody reads it";
  const UniqueFd reader(open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(ReplaceFile(path_, "text").ok());
  std::string text(16, '\0');
  EXPECT_EQ(read(reader.get(), text.data(), text.size()), 4);
  EXPECT_TRUE(fs::is_fifo(path_));
  EXPECT_EQ(Files(), 1);
}

TEST_F(ReplacementFileTest, LeftByAnEndedProcess_IsPublishedUnlessItIsALink) {
  constexpr pid_t kEnded = 4194305;  // beyond all pids
  EXPECT_FALSE(*ReplacementFile::PublishLeft(path_, kEnded));
  fs::create_symlink(path_, path_ + "." + std::to_string(kEnded));
  EXPECT_FALSE(*ReplacementFile::PublishLeft(path_, kEnded));
  fs::remove(path_ + "." + std::to_string(kEnded));
  std::ofstream(path_ + "." + std::to_string(kEnded)) << "left";
  EXPECT_TRUE(*ReplacementFile::PublishLeft(path_, kEnded));
  EXPECT_EQ(Text(), "left");
  EXPECT_EQ(Files(), 1);
}

TEST_F(ReplacementFileTest, PlaceThatCannotBeTaken_IsNamed) {
  const auto none = ReplacementFile::Create("/nonexistent/file");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("/nonexistent/file."), std::string::npos) << none.error().message;
  fs::create_directory(folder_ / "folder");
  fs::create_symlink(folder_ / "nothing", folder_ / "link");
  for (const auto& [name, why] : {std::pair("folder", "it is a folder"), std::pair("link", "it is a link to nothing")}) {
    const auto refused = ReplacementFile::Create(folder_ / name);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message, (folder_ / name).string() + " cannot be written: " + why + ".");
  }
}

}  // namespace
}  // namespace tandem
