// Every script of the tree says how it is used, and does nothing else when it is asked for that.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tandem::tree {
namespace {

namespace fs = std::filesystem;

// Executable text files below the root of the tree, by their first line.
std::vector<std::string> Scripts() {
  const fs::path root = TANDEM_SOURCE_DIR;
  std::vector<std::string> scripts;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory() && (name == "build" || name == ".git")) entry.disable_recursion_pending();
    if (!entry->is_regular_file()) continue;
    std::ifstream file(entry->path());
    std::array<char, 2> first{};
    if (file.read(first.data(), first.size()) && first == std::array{'#', '!'}) {
      scripts.push_back(fs::relative(entry->path(), root).string());
    }
  }
  std::ranges::sort(scripts);
  return scripts;
}

// The only programs that a script finds here: those that say something, and none that builds, installs or writes.
class Tools {
 public:
  Tools() : folder_(fs::temp_directory_path() / ("tandem-tools-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    for (const char* const tool : {"bash", "python3", "cat", "dirname", "basename", "nproc"}) {
      for (const char* const place : {"/usr/local/bin", "/usr/bin", "/bin"}) {
        std::error_code error;
        if (fs::exists(fs::path(place) / tool)) fs::create_symlink(fs::path(place) / tool, folder_ / tool, error);
      }
    }
  }
  ~Tools() { fs::remove_all(folder_); }
  Tools(const Tools&) = delete;
  Tools& operator=(const Tools&) = delete;
  [[nodiscard]] std::string path() const { return folder_.string(); }
  [[nodiscard]] bool Has(const char* tool) const { return fs::exists(folder_ / tool); }

 private:
  const fs::path folder_;
};

class Script : public testing::TestWithParam<std::string> {};

TEST_P(Script, Help_SaysTheUsageAndDoesNothing) {
  const Tools tools;
  if (!tools.Has("python3")) GTEST_SKIP() << "python3 is not here.";
  const std::string command =
      "env -i PATH='" + tools.path() + "' '" + TANDEM_SOURCE_DIR + "/" + GetParam() + "' --help 2>&1 </dev/null";
  std::FILE* const pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string text;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  const int status = pclose(pipe);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status << "\n" << text;
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  EXPECT_NE(("\n" + text).find("\nusage: "), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(Tree, Script, testing::ValuesIn(Scripts()), [](const auto& script) {
  std::string name = script.param;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace tandem::tree
