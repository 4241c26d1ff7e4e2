#include "drivers/vulkan/icd/manifest.h"
#include "drivers/vulkan/icd/manifest_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace tandem::vulkan {
namespace {

constexpr char kPath[] = "/opt/drivers/icd.d/good.json";

// A valid manifest with one member replaced.
std::string Text(const std::string& version = R"("1.0.1")", const std::string& library = R"("libvulkan_good.so")",
                 const std::string& more = "") {
  return R"({"file_format_version": )" + version + R"(, "ICD": {"api_version": "1.3.0", "library_path": )" + library + more +
         "}}";
}

TEST(Manifest, Parse_Valid_GivesLibraryAndVersion) {
  const auto manifest = ParseManifest(Text(), kPath);
  ASSERT_TRUE(manifest.ok());
  EXPECT_EQ(manifest->library, "libvulkan_good.so");
  EXPECT_EQ(manifest->api_version, "1.3.0");
}

TEST(Manifest, Parse_LibraryPath_IsResolvedAsTheLoaderDoes) {
  EXPECT_EQ(ParseManifest(Text(R"("1.0.0")", R"("./lib.so")"), kPath)->library, "/opt/drivers/icd.d/./lib.so");
  EXPECT_EQ(ParseManifest(Text(R"("1.0.0")", R"("../lib.so")"), kPath)->library, "/opt/drivers/icd.d/../lib.so");
  EXPECT_EQ(ParseManifest(Text(R"("1.0.0")", R"("/usr/lib/lib.so")"), kPath)->library, "/usr/lib/lib.so");
  EXPECT_EQ(ParseManifest(Text(R"("1.0.0")", R"("sub/lib.so")"), "here.json")->library, "./sub/lib.so");
}

TEST(Manifest, Parse_Hostile_AnswersASentence) {
  const std::string deep = Text(R"("1.0.0")", R"("lib.so")", R"(, "x": )" + std::string(20'000, '[') + std::string(20'000, ']'));
  const std::string cases[] = {
      "",
      "{",
      "nonsense",
      "[]",
      "null",
      "\"text\"",
      "1e999999",
      std::string("\0\0\0", 3),
      "\xFF\xFE\xFD",
      R"({"file_format_version": "1.0.0"})",
      R"({"file_format_version": "1.0.0", "ICD": []})",
      R"({"file_format_version": "1.0.0", "ICD": null})",
      R"({"ICD": {"library_path": "lib.so"}})",
      Text("1"),
      Text(R"("2.0.0")"),
      Text(R"("")"),
      Text(R"("1.0.0")", "7"),
      Text(R"("1.0.0")", "null"),
      Text(R"("1.0.0")", R"("")"),
      Text(R"("1.0.0")", R"("a\u0000b")"),
      Text(R"("1.0.0")", '"' + std::string(5000, 'a') + '"'),
      Text(R"("1.0.0")", R"("lib.so")", R"(, "x": ")" + std::string(kMaxManifestBytes, 'x') + '"'),
      deep,
      std::string(60'000, '['),
      std::string(60'000, '{'),
  };
  for (const std::string& text : cases) {
    const auto manifest = ParseManifest(text, kPath);
    ASSERT_FALSE(manifest.ok()) << text.substr(0, 80);
    EXPECT_EQ(manifest.error().kind, ErrorKind::kInvalidArgument);
    EXPECT_NE(manifest.error().message.find(kPath), std::string::npos);
    EXPECT_EQ(manifest.error().message.back(), '.');
  }
}

TEST(Manifest, Parse_OtherArchitecture_IsUnsupported) {
  EXPECT_EQ(ParseManifest(Text(R"("1.0.1")", R"("l.so")", R"(, "library_arch": "32")"), kPath).error().kind,
            ErrorKind::kUnsupported);
  EXPECT_TRUE(ParseManifest(Text(R"("1.0.1")", R"("l.so")", R"(, "library_arch": "64")"), kPath).ok());
}

TEST(Manifest, Read_MissingFile_IsIo) {
  EXPECT_EQ(ReadManifest("/nonexistent/driver.json").error().kind, ErrorKind::kIo);
  EXPECT_FALSE(ReadManifest("/").ok());
}

class FindManifestsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) / ("tandem_manifests_" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "data/vulkan/icd.d");
    for (const char* name : {"b.json", "a.json", "notes.txt"}) std::ofstream(folder_ / "data/vulkan/icd.d" / name) << "{}";
    for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS",
                             "XDG_DATA_HOME", "XDG_DATA_DIRS"}) {
      unsetenv(name);
    }
  }
  void TearDown() override {
    SetUp();
    std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(FindManifestsTest, Find_DriverFiles_ComesAlone) {
  setenv("VK_ICD_FILENAMES", "/old.json", 1);
  setenv("VK_DRIVER_FILES", ("/one.json::/two.json:/one.json:" + Path("data/vulkan/icd.d")).c_str(), 1);
  EXPECT_EQ(FindManifests(), (std::vector<std::string>{"/one.json", "/two.json", Path("data/vulkan/icd.d/a.json"),
                                                       Path("data/vulkan/icd.d/b.json")}));
  unsetenv("VK_DRIVER_FILES");
  EXPECT_EQ(FindManifests(), std::vector<std::string>{"/old.json"});
}

TEST_F(FindManifestsTest, Find_DataDirectories_AreSearchedInOrder) {
  setenv("VK_ADD_DRIVER_FILES", "/added.json", 1);
  setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
  setenv("XDG_CONFIG_DIRS", "/nonexistent", 1);
  setenv("XDG_DATA_HOME", "/nonexistent", 1);
  setenv("XDG_DATA_DIRS", Path("data").c_str(), 1);
  const auto found = FindManifests();
  ASSERT_GE(found.size(), 3U);
  EXPECT_EQ(found.front(), "/added.json");
  EXPECT_EQ(found[found.size() - 2], Path("data/vulkan/icd.d/a.json"));
  EXPECT_EQ(found.back(), Path("data/vulkan/icd.d/b.json"));
}

TEST_F(FindManifestsTest, Find_LoadersFilters_LeaveDriversOut) {
  setenv("VK_DRIVER_FILES", "/select/radeon_icd.json:/nvidia_icd.json:/lvp_icd.json", 1);
  setenv("VK_LOADER_DRIVERS_SELECT", "*RADEON*,nvidia*", 1);
  EXPECT_EQ(FindManifests(), (std::vector<std::string>{"/select/radeon_icd.json", "/nvidia_icd.json"}));
  setenv("VK_LOADER_DRIVERS_DISABLE", "nvidia_icd.json", 1);
  EXPECT_EQ(FindManifests(), std::vector<std::string>{"/select/radeon_icd.json"});
  unsetenv("VK_LOADER_DRIVERS_SELECT");
  setenv("VK_LOADER_DRIVERS_DISABLE", "*", 1);
  EXPECT_TRUE(FindManifests().empty());
  setenv("TANDEM_AS", "driver", 1);
  EXPECT_EQ(FindManifests().size(), 3U);
  unsetenv("TANDEM_AS");
  unsetenv("VK_LOADER_DRIVERS_DISABLE");
}

TEST_F(FindManifestsTest, Find_OwnDriver_IsLeftOutAndItsListComesFirst) {
  setenv("XDG_DATA_DIRS", Path("data").c_str(), 1);
  setenv("VK_DRIVER_FILES", "/opt/tandem_icd.json:/one.json", 1);
  EXPECT_EQ(FindManifests(), std::vector<std::string>{"/one.json"});
  // A list of our driver alone leaves the machine's drivers.
  setenv("VK_DRIVER_FILES", "/opt/tandem_icd.json", 1);
  EXPECT_EQ(FindManifests().back(), Path("data/vulkan/icd.d/b.json"));
  setenv("TANDEM_DRIVER_FILES", "/below.json", 1);
  EXPECT_EQ(FindManifests(), std::vector<std::string>{"/below.json"});
  unsetenv("TANDEM_DRIVER_FILES");
  setenv("VK_DRIVER_FILES", "/nonexistent_folder", 1);
  EXPECT_TRUE(FindManifests().empty());
}

}  // namespace
}  // namespace tandem::vulkan
