// libvulkan_tandem.so above a driver that is not open: programs see its devices, and vkCreateDevice opens it.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

std::string DriverManifest() {
  return std::string(TANDEM_DRIVER).substr(0, std::string(TANDEM_DRIVER).rfind('/')) + "/share/tandem/icd.d/tandem_icd.json";
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string LibraryOf(const std::string& manifest) {
  const auto json = nlohmann::json::parse(ReadAll(manifest), nullptr, false);
  return fs::path(json.value("/ICD/library_path"_json_pointer, "")).filename().string();
}

class SleepingDriver : public testing::Test {
 protected:
  void SetUp() override {
    if (VulkanDrivers().empty()) GTEST_SKIP() << "There is no Vulkan driver.";
    if (RunProcess({"strace", "-o", "/dev/null", "true"}, {}, 10000).exit_code != 0) {
      GTEST_SKIP() << "strace is not installed, or may not trace.";
    }
  }

  // A program above Tandem's driver, which renders by `driver`. Its cache is this test's.
  [[nodiscard]] Environment Above(const VulkanDriver& driver) const {
    return {{"VK_DRIVER_FILES", DriverManifest()},
            {"VK_ICD_FILENAMES", DriverManifest()},
            {"TANDEM_DRIVER_FILES", driver.manifest},
            {"TANDEM_RENDER", driver.selector},
            {"TANDEM_DISPLAY", "soft"},
            {"TANDEM_OUTPUT", "headless"},
            {"NODEVICE_SELECT", "1"},
            {"XDG_CONFIG_HOME", "/nonexistent"},
            {"XDG_CACHE_HOME", folder_.File("cache")},
            {"TANDEM_LOG", "info,file=" + folder_.File("log")}};
  }
  [[nodiscard]] Environment Awake(const VulkanDriver& driver) const {
    Environment environment = Above(driver);
    environment.emplace_back("XDG_CACHE_HOME", "/dev/null");
    return environment;
  }

  // `tandem adapters --wake` keeps what the drivers say.
  void KeepRecord(const VulkanDriver& driver) const {
    const ProcessResult kept = RunProcess({TANDEM_COMMAND, "adapters", "--wake"}, Above(driver), 60000);
    ASSERT_EQ(kept.exit_code, 0) << kept.err;
  }
  [[nodiscard]] std::string RecordFile(const VulkanDriver& driver) const {
    const std::string stem = fs::path(driver.manifest).stem().string();
    for (const auto& entry : fs::directory_iterator(folder_.File("cache/tandem"))) {
      if (entry.path().extension() == ".bin") return entry.path().string();
    }
    return "no record of " + stem;
  }

  struct Traced {
    ProcessResult process;
    bool library = false;  // the driver's library was opened
    bool node = false;     // a node of a GPU was
  };
  [[nodiscard]] Traced Describe(const VulkanDriver& driver, const Environment& environment,
                                const std::vector<std::string>& options = {}) const {
    std::vector<std::string> words{
        "strace", "-f", "-o", folder_.File("trace"), "-e", "trace=openat,open,openat2", Program("tandem_describe")};
    words.insert(words.end(), options.begin(), options.end());
    Traced traced{RunProcess(words, environment, 60000)};
    const std::string opened = ReadAll(folder_.File("trace"));
    EXPECT_NE(opened.find("libvulkan_tandem.so"), std::string::npos) << "strace saw nothing: " << traced.process.err;
    traced.library = opened.find(LibraryOf(driver.manifest)) != std::string::npos;
    traced.node = opened.find("/dev/dri") != std::string::npos || opened.find("/dev/nvidia") != std::string::npos;
    return traced;
  }
  [[nodiscard]] bool Logged(const std::string& text) const {
    return ReadAll(folder_.File("log")).find(text) != std::string::npos;
  }

  const ScratchFolder folder_;
};

TEST_F(SleepingDriver, Enumeration_OpensNothing_AndCreateDeviceOpensTheDriver) {
  for (const VulkanDriver& driver : VulkanDrivers()) {
    SCOPED_TRACE(driver.name);
    KeepRecord(driver);
    const Traced enumerated = Describe(driver, Above(driver));
    EXPECT_EQ(enumerated.process.exit_code, 0) << enumerated.process.err;
    EXPECT_FALSE(enumerated.library);
    EXPECT_FALSE(enumerated.node);
    EXPECT_FALSE(Logged(" opens the driver of "));
    const Traced created = Describe(driver, Above(driver), {"--device"});
    EXPECT_NE(created.process.out.find("\ndevice 0\n"), std::string::npos) << created.process.err;
    EXPECT_TRUE(created.library);
    EXPECT_TRUE(Logged("vkCreateDevice opens the driver of "));
    fs::remove(folder_.File("log"));
    fs::remove_all(folder_.File("cache"));
  }
}

TEST_F(SleepingDriver, Answers_AreTheOpenDriversBitByBit) {
  for (const VulkanDriver& driver : VulkanDrivers()) {
    SCOPED_TRACE(driver.name);
    const Traced open = Describe(driver, Awake(driver));
    ASSERT_EQ(open.process.exit_code, 0) << open.process.err;
    ASSERT_TRUE(open.library);
    KeepRecord(driver);
    const Traced asleep = Describe(driver, Above(driver));
    EXPECT_FALSE(asleep.library);
    EXPECT_EQ(asleep.process.out, open.process.out);
    for (const char* first : {"device", "group", "image-format"}) {
      const Traced woken = Describe(driver, Above(driver), {"--first", first});
      EXPECT_TRUE(woken.library) << first;
      EXPECT_EQ(woken.process.out, open.process.out) << first << woken.process.err;
    }
    EXPECT_TRUE(Logged("vkGetPhysicalDeviceImageFormatProperties opens the driver of "));
    fs::remove_all(folder_.File("cache"));
  }
}

// The first program of a machine opens the driver at once and keeps its record; nothing is printed meanwhile.
TEST_F(SleepingDriver, FirstProgram_KeepsTheRecordForTheNext) {
  for (const VulkanDriver& driver : VulkanDrivers()) {
    SCOPED_TRACE(driver.name);
    const Traced first = Describe(driver, Above(driver));
    EXPECT_TRUE(first.library);
    EXPECT_EQ(first.process.err, Describe(driver, Awake(driver)).process.err);
    const Traced second = Describe(driver, Above(driver));
    EXPECT_FALSE(second.library);
    EXPECT_EQ(second.process.out, first.process.out);
    fs::remove_all(folder_.File("cache"));
  }
}

TEST_F(SleepingDriver, DamagedOrForeignRecord_OpensTheDriverAtOnce) {
  const VulkanDriver driver = VulkanDrivers().front();
  KeepRecord(driver);
  const std::string path = RecordFile(driver);
  const std::string whole = ReadAll(path);
  ASSERT_GT(whole.size(), 1000U) << path;
  const std::string expected = Describe(driver, Above(driver)).process.out;
  const auto expect_open = [&](const std::string& bytes, const char* what) {
    SCOPED_TRACE(what);
    // Nothing may put a whole record in the place of the damaged one.
    fs::permissions(path, fs::perms::owner_all);
    std::ofstream(path, std::ios::binary) << bytes;
    if (bytes == whole) fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
    const Traced opened = Describe(driver, Above(driver));
    EXPECT_TRUE(opened.library);
    EXPECT_EQ(opened.process.out, expected);
  };
  expect_open("", "empty");
  expect_open(whole.substr(0, whole.size() / 2), "cut off");
  expect_open(whole + "x", "longer");
  expect_open(std::string(3 << 20, 'T'), "larger than the limit");
  for (const std::size_t at : {std::size_t{0}, std::size_t{9}, whole.size() / 3, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    expect_open(damaged, "one bit");
  }
  expect_open(whole, "written by others");
}

TEST_F(SleepingDriver, OtherDriverFileOrVariable_OpensTheDriverAtOnce) {
  VulkanDriver driver = VulkanDrivers().front();
  const std::string manifest = folder_.File("copy.json");
  fs::copy_file(driver.manifest, manifest);
  driver.manifest = manifest;
  KeepRecord(driver);
  EXPECT_FALSE(Describe(driver, Above(driver)).library);
  Environment environment = Above(driver);
  environment.emplace_back("LP_NUM_THREADS", "2");
  EXPECT_TRUE(Describe(driver, environment).library);
  EXPECT_TRUE(Logged("LP_NUM_THREADS may change the driver's answers."));
  fs::last_write_time(manifest, fs::last_write_time(manifest) + std::chrono::seconds(1));
  EXPECT_TRUE(Describe(driver, Above(driver)).library);
  EXPECT_FALSE(Describe(driver, Above(driver)).library) << "The record was not made anew.";
}

// The library changes behind the back of its time stamp.
TEST_F(SleepingDriver, DriverThatCannotBeOpened_FailsAtCreateDeviceAndSaysWhy) {
  VulkanDriver driver = VulkanDrivers().front();
  const auto json = nlohmann::json::parse(ReadAll(driver.manifest), nullptr, false);
  const std::string library = folder_.File("libdriver.so");
  fs::copy_file(json.value("/ICD/library_path"_json_pointer, ""), library);
  driver.manifest = folder_.File("driver.json");
  std::ofstream(driver.manifest) << R"({"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0", "library_path": ")"
                                 << library << "\"}}";
  KeepRecord(driver);
  struct stat before {};
  ASSERT_EQ(stat(library.c_str(), &before), 0);
  std::ofstream(library, std::ios::binary) << std::string(static_cast<std::size_t>(before.st_size), '\0');
  const timespec times[2] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, library.c_str(), times, 0), 0);
  Environment environment = Above(driver);
  environment.emplace_back("TANDEM_STATS", "1");
  const Traced failed = Describe(driver, environment, {"--device"});
  EXPECT_EQ(failed.process.exit_code, 0) << failed.process.err;
  EXPECT_NE(failed.process.out.find("\ndevice -3\n"), std::string::npos);
  EXPECT_NE(failed.process.err.find("stepped aside: Vulkan driver " + library + " cannot be loaded"), std::string::npos)
      << failed.process.err;
}

TEST_F(SleepingDriver, DriverThatAnswersOtherwise_GetsANewRecord) {
  Environment environment = Above(Liar());
  environment.emplace_back("TANDEM_TEST_REAL_DRIVER", "libvulkan_lvp.so");
  environment.emplace_back("TANDEM_TEST_LIE", "refuse-import");
  EXPECT_TRUE(Describe(Liar(), environment).library);
  const std::string before = Describe(Liar(), environment).process.out;
  environment.emplace_back("TANDEM_TEST_LIE", "other-name");
  const Traced old = Describe(Liar(), environment, {"--device"});
  EXPECT_NE(old.process.out.find("\ndevice 0\n"), std::string::npos) << old.process.err;
  EXPECT_EQ(old.process.out.substr(0, before.size()), before);
  EXPECT_TRUE(Logged("answers otherwise than its record"));
  const Traced renewed = Describe(Liar(), environment);
  EXPECT_FALSE(renewed.library);
  EXPECT_NE(renewed.process.out, before);
  environment.emplace_back("XDG_CACHE_HOME", "/dev/null");
  EXPECT_EQ(renewed.process.out, Describe(Liar(), environment).process.out);
}

TEST_F(SleepingDriver, ThreadsThatCreateDevicesAtOnce_OpenTheDriverOnce) {
  const VulkanDriver driver = VulkanDrivers().front();
  KeepRecord(driver);
  const Traced created = Describe(driver, Above(driver), {"--threads", "8"});
  EXPECT_EQ(created.process.exit_code, 0) << created.process.err;
  const std::string log = ReadAll(folder_.File("log"));
  const std::size_t first = log.find(" opens the driver of ");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(log.find(" opens the driver of ", first + 1), std::string::npos) << log;
}

TEST_F(SleepingDriver, ServedFrames_NameTheCommandThatOpenedTheDriver) {
  const VulkanDriver driver = VulkanDrivers().front();
  KeepRecord(driver);
  Environment environment = Above(driver);
  environment.emplace_back("TANDEM_STATS_JSON", folder_.File("stats.json"));
  const ProcessResult painted =
      RunProcess({Program("tandem_paint"), "--frames", "4", "--mode", "fifo", "--size", "64x64"}, environment, 60000);
  EXPECT_EQ(painted.exit_code, 0) << painted.err;
  const auto stats = nlohmann::json::parse(ReadAll(folder_.File("stats.json")), nullptr, false);
  ASSERT_TRUE(stats.is_object());
  EXPECT_EQ(stats["opened_by"], "vkCreateDevice");
  EXPECT_EQ(stats["frames_shown"], 4);
}

}  // namespace
}  // namespace tandem::test
