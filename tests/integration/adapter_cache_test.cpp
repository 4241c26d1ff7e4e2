// The kept list of adapters: who reads it opens no driver and no node of a GPU.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

class KeptAdapters : public testing::Test {
 protected:
  void SetUp() override {
    if (VulkanDrivers().empty()) GTEST_SKIP() << "There is no Vulkan driver.";
    if (RunProcess({"strace", "-o", "/dev/null", "true"}, {}, 10000).exit_code != 0) {
      GTEST_SKIP() << "strace is not installed, or may not trace.";
    }
    library_ = fs::path(LibraryOf(VulkanDrivers().front().manifest)).filename().string();
    environment_ = WithDrivers(VulkanDrivers());
    environment_.emplace_back("XDG_CACHE_HOME", folder_.File("cache"));
    environment_.emplace_back("XDG_CONFIG_HOME", folder_.File("config"));
  }

  static std::string LibraryOf(const std::string& manifest) {
    std::ifstream file(manifest);
    return nlohmann::json::parse(file, nullptr, false)["ICD"]["library_path"];
  }

  struct Traced {
    ProcessResult process;
    std::string opened;  // lines of strace
  };
  [[nodiscard]] Traced Trace(const std::vector<std::string>& command) const {
    std::vector<std::string> words{"strace",      "-f", "-o", folder_.File("trace"), "-e", "trace=openat,open,openat2,execve",
                                   TANDEM_COMMAND};
    words.insert(words.end(), command.begin(), command.end());
    Traced traced{RunProcess(words, environment_, 120000), {}};
    std::ifstream file(folder_.File("trace"));
    std::ostringstream text;
    text << file.rdbuf();
    traced.opened = text.str();
    EXPECT_NE(traced.opened.find("/proc/sys/kernel/osrelease"), std::string::npos)
        << "strace saw nothing: " << traced.process.err;
    return traced;
  }
  [[nodiscard]] Traced List(const std::vector<std::string>& options) const {
    std::vector<std::string> words{"adapters"};
    words.insert(words.end(), options.begin(), options.end());
    return Trace(words);
  }
  // The program opens no driver itself.
  [[nodiscard]] Traced Run() const {
    return Trace({"run", "--render", VulkanDrivers().front().selector, "--display", "soft", "--", "true"});
  }
  [[nodiscard]] std::string KeptFile() const { return folder_.File("cache/tandem/adapters.json"); }
  [[nodiscard]] nlohmann::json KeptList() const {
    std::ifstream file(KeptFile());
    return nlohmann::json::parse(file, nullptr, false);
  }
  // The list fits the machine, and names other GPUs.
  void KeepOtherNames() const {
    ASSERT_EQ(List({"--wake"}).process.exit_code, 0);
    auto kept = KeptList();
    ASSERT_TRUE(kept["adapters"].is_array()) << kept.dump();
    for (auto& adapter : kept["adapters"]) adapter["name"] = "another GPU";
    std::ofstream(KeptFile()) << kept.dump();
  }
  void ExpectNothingOpened(const Traced& traced) const {
    EXPECT_EQ(traced.opened.find(library_), std::string::npos) << traced.opened;
    EXPECT_EQ(traced.opened.find("/dev/dri"), std::string::npos) << traced.opened;
    EXPECT_EQ(traced.opened.find("/dev/nvidia"), std::string::npos) << traced.opened;
  }

  const ScratchFolder folder_;
  std::string library_;
  Environment environment_;
};

TEST_F(KeptAdapters, CachedList_OpensNeitherDriverNorNode) {
  const Traced first = List({"--wake", "--json"});
  ASSERT_EQ(first.process.exit_code, 0) << first.process.err;
  EXPECT_NE(first.opened.find(library_), std::string::npos) << first.opened;
  const Traced kept = List({"--cached", "--json"});
  ASSERT_EQ(kept.process.exit_code, 0) << kept.process.err;
  ExpectNothingOpened(kept);
  const auto opened = nlohmann::json::parse(first.process.out, nullptr, false);
  const auto cached = nlohmann::json::parse(kept.process.out, nullptr, false);
  EXPECT_EQ(opened["cached"], false);
  EXPECT_EQ(cached["cached"], true);
  EXPECT_EQ(cached["adapters"], opened["adapters"]);
  EXPECT_EQ(cached["auto"], opened["auto"]);
}

TEST_F(KeptAdapters, WithoutAFittingList_NothingIsOpenedEither) {
  const Traced none = List({"--cached"});
  EXPECT_EQ(none.process.exit_code, 125);
  EXPECT_NE(none.process.err.find("No list is kept that fits this machine."), std::string::npos) << none.process.err;
  ExpectNothingOpened(none);
  ASSERT_EQ(List({"--wake"}).process.exit_code, 0);
  std::ofstream(KeptFile(), std::ios::app) << "}";
  const Traced broken = List({"--cached"});
  EXPECT_EQ(broken.process.exit_code, 125);
  EXPECT_NE(broken.process.err.find("no JSON object"), std::string::npos) << broken.process.err;
  ExpectNothingOpened(broken);
}

// The program will open its driver; the command need not before.
TEST_F(KeptAdapters, RunOfAProgram_OpensNothingForTheChoiceOfAdapters) {
  const Traced first = Run();
  ASSERT_EQ(first.process.exit_code, 0) << first.process.err;
  EXPECT_NE(first.opened.find(library_), std::string::npos) << first.opened;
  const Traced again = Run();
  ASSERT_EQ(again.process.exit_code, 0) << again.process.err;
  ExpectNothingOpened(again);
}

TEST_F(KeptAdapters, RunOnAnAdapterThatTheListLacks_AsksTheDrivers) {
  KeepOtherNames();
  const Traced run = Run();
  EXPECT_EQ(run.process.exit_code, 0) << run.process.err;
  EXPECT_NE(run.opened.find(library_), std::string::npos) << run.opened;
  // The driver below Tandem's reads the same list in the program.
  EXPECT_EQ(KeptList().dump().find("another GPU"), std::string::npos) << KeptList().dump();
  const Traced again = Run();
  EXPECT_EQ(again.process.exit_code, 0) << again.process.err;
  ExpectNothingOpened(again);
}

// The session's filter leaves a driver out, so that the list of all drivers is another one.
TEST_F(KeptAdapters, OtherDrivers_AreAnotherList) {
  if (VulkanDrivers().size() < 2) GTEST_SKIP() << "There is no second Vulkan driver.";
  ASSERT_EQ(List({"--wake"}).process.exit_code, 0);
  environment_.emplace_back("VK_ICD_FILENAMES", VulkanDrivers().front().manifest);
  environment_.emplace_back("VK_DRIVER_FILES", VulkanDrivers().front().manifest);
  const Traced fewer = List({"--cached"});
  EXPECT_EQ(fewer.process.exit_code, 125) << fewer.process.out;
  EXPECT_NE(fewer.process.err.find("It was made with 'manifest "), std::string::npos) << fewer.process.err;
}

// Tags of the configuration file are no part of the kept list.
TEST_F(KeptAdapters, TagThatCameLater_IsApplied) {
  ASSERT_EQ(List({"--wake"}).process.exit_code, 0);
  fs::create_directories(folder_.File("config/tandem"));
  std::ofstream(folder_.File("config/tandem/tandem.toml"))
      << "[adapter.\"" << VulkanDrivers().front().selector << "\"]\nhidden = true\n";
  const Traced kept = List({"--cached", "--json"});
  ASSERT_EQ(kept.process.exit_code, 0) << kept.process.err;
  EXPECT_EQ(nlohmann::json::parse(kept.process.out, nullptr, false)["adapters"][0]["hidden"], true) << kept.process.out;
}

// A mount namespace has a display device that sleeps.
class KeptAdaptersOfASleepingGpu : public KeptAdapters {
 protected:
  void SetUp() override {
    KeptAdapters::SetUp();
    if (IsSkipped()) return;
    fs::create_directories(device_ + "/power");
    for (const auto& [name, value] : {std::pair{"class", "0x030000"}, std::pair{"vendor", "0x10de"},
                                      std::pair{"device", "0x2684"}, std::pair{"power/runtime_status", "suspended"}}) {
      std::ofstream(device_ + "/" + name) << value << "\n";
    }
    if (RunProcess({"unshare", "-rm", "sh", "-c", mount_}, {}, 10000).exit_code != 0) {
      GTEST_SKIP() << "This user may not mount in a namespace of its own.";
    }
  }

  void Wake() const { std::ofstream(device_ + "/power/runtime_status") << "active\n"; }
  // Runs the command with these words in the namespace.
  [[nodiscard]] ProcessResult Tandem(const std::string& words) const {
    const std::string command = mount_ + " && exec '" + std::string(TANDEM_COMMAND) + "' " + words;
    return RunProcess({"unshare", "-rm", "sh", "-c", command}, environment_, 120000);
  }
  [[nodiscard]] nlohmann::json ListIsKept(const std::string& option) const {
    const ProcessResult result = Tandem("adapters --json " + option);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out, nullptr, false)["cached"];
  }

 private:
  const std::string device_ = folder_.File("pci/0000:01:00.0");
  const std::string mount_ = "mount --bind '" + folder_.File("pci") + "' /sys/bus/pci/devices";
};

TEST_F(KeptAdaptersOfASleepingGpu, List_LetsItSleepUnlessItIsWoken) {
  EXPECT_EQ(ListIsKept(""), false) << "No list was kept before.";
  EXPECT_EQ(ListIsKept(""), true);
  EXPECT_EQ(ListIsKept("--wake"), false);
  Wake();
  EXPECT_EQ(ListIsKept(""), false);
}

TEST_F(KeptAdaptersOfASleepingGpu, NameThatIsNotListed_WakesNothing) {
  ASSERT_EQ(ListIsKept("--wake"), false);
  const auto before = fs::last_write_time(KeptFile());
  const ProcessResult run = Tandem("run --render 'no such GPU' --display soft -- true");
  EXPECT_NE(run.exit_code, 0);
  EXPECT_NE(run.err.find("'tandem adapters --wake' lists them anew."), std::string::npos) << run.err;
  EXPECT_EQ(fs::last_write_time(KeptFile()), before);
  Wake();
  const ProcessResult awake = Tandem("run --render 'no such GPU' --display soft -- true");
  EXPECT_EQ(awake.err.find("--wake"), std::string::npos) << awake.err;
  EXPECT_NE(fs::last_write_time(KeptFile()), before);
}

}  // namespace
}  // namespace tandem::test
