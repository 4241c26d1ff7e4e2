// `tandem enable`: what a session's file says, and what programs pay that Tandem does not serve.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

std::string Share() { return std::string(TANDEM_LAYER).substr(0, std::string(TANDEM_LAYER).rfind('/')) + "/share"; }

class Session : public testing::Test {
 protected:
  void SetUp() override {
    environment_ = WithDrivers(VulkanDrivers());
    environment_.emplace_back("XDG_CONFIG_HOME", home_.File(""));
    environment_.emplace_back("TANDEM_OUTPUT", "headless");
    environment_.emplace_back("TANDEM_DISPLAY", "");
  }

  ProcessResult Tandem(std::vector<std::string> words) const {
    words.insert(words.begin(), TANDEM_COMMAND);
    return RunProcess(words, environment_, 60000);
  }
  [[nodiscard]] std::string SessionFile() const { return home_.File("environment.d/60-tandem.conf"); }

  // The session's variables, expanded as environment.d(5) expands them.
  void StartSession() {
    std::ifstream file(SessionFile());
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("#")) continue;
      const std::size_t equals = line.find('=');
      std::string value = line.substr(equals + 1);
      const std::string old = "${XDG_DATA_DIRS:-/usr/local/share:/usr/share}";
      if (value.starts_with(old)) value.replace(0, old.size(), "/usr/local/share:/usr/share");
      environment_.emplace_back(line.substr(0, equals), value);
    }
  }

  void Allow(const std::string& program) const {
    fs::create_directories(home_.File("tandem"));
    std::ofstream(home_.File("tandem/tandem.toml")) << "[app.\"" << program << "\"]\nuse = \"always\"\n";
  }

  // The loader's list of drivers, where a session can leave one out.
  void InstallDrivers(const std::vector<VulkanDriver>& drivers, const ScratchFolder& data) {
    fs::create_directories(data.File("vulkan/icd.d"));
    for (const VulkanDriver& driver : drivers) {
      std::ifstream file(driver.manifest);
      auto manifest = nlohmann::json::parse(file, nullptr, false);
      const std::string library = manifest["ICD"]["library_path"];
      if (library.starts_with("./")) {
        manifest["ICD"]["library_path"] = driver.manifest.substr(0, driver.manifest.rfind('/')) + library.substr(1);
      }
      std::ofstream(data.File("vulkan/icd.d/" + fs::path(driver.manifest).filename().string())) << manifest;
    }
    environment_.emplace_back("VK_ICD_FILENAMES", "");
    environment_.emplace_back("XDG_DATA_HOME", data.File(""));
    environment_.emplace_back("XDG_DATA_DIRS", data.File(""));
    environment_.emplace_back("XDG_CACHE_HOME", home_.File("cache"));
  }

  const ScratchFolder home_;
  Environment environment_;
};

// "device 3" -> 3; -1 without such a line.
int Printed(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(word + " ")) return std::stoi(line.substr(word.size()));
  }
  return -1;
}

TEST_F(Session, EnableAndDisable_WriteAndRemoveOneFile) {
  const ProcessResult enabled = Tandem({"enable"});
  EXPECT_EQ(enabled.exit_code, 0) << enabled.err;
  EXPECT_TRUE(fs::exists(SessionFile()));
  const auto status = nlohmann::json::parse(Tandem({"enable", "--status", "--json"}).out, nullptr, false);
  ASSERT_TRUE(status.is_object());
  EXPECT_EQ(status["user"]["enabled"], true);
  EXPECT_EQ(status["user"]["file"], SessionFile());
  EXPECT_EQ(status["session"], false);
  EXPECT_EQ(Tandem({"disable"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(SessionFile()));
  EXPECT_EQ(Tandem({"disable"}).exit_code, 0);
  std::ofstream(SessionFile()) << "A=1\n";
  EXPECT_NE(Tandem({"enable"}).exit_code, 0);
  EXPECT_NE(Tandem({"disable"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(SessionFile()));
}

// A mount namespace of its own has an empty /etc. systemd's own generator reads the file there, as it does for each session.
TEST_F(Session, EnableSystem_WritesEtcForEveryUserAndTakesItBack) {
  if (RunProcess({"unshare", "--mount", "mount", "-t", "tmpfs", "none", "/etc"}, {}, 10000).exit_code != 0) {
    GTEST_SKIP() << "Only root has a mount namespace of its own.";
  }
  if (!OthersMayRead(TANDEM_COMMAND)) GTEST_SKIP() << "Other users than root cannot read " << TANDEM_COMMAND << ".";
  const std::string script =
      "mount -t tmpfs -o mode=755 none /etc && before=$(find /etc)\n"
      "setpriv --reuid 65534 --clear-groups \"$1\" enable --system; echo \"as nobody $?\"\n"
      "test \"$(find /etc)\" = \"$before\" && echo untouched\n"
      "\"$1\" enable --system && \"$1\" enable --status --json && stat -c 'mode %a' /etc/environment.d/60-tandem.conf\n"
      "generator=/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator\n"
      "if test -x $generator; then env -i $generator; else cat /etc/environment.d/60-tandem.conf; fi\n"
      "\"$1\" disable --system && find /etc -type f | wc -l | sed 's/^/files left /'\n";
  const ProcessResult result = RunProcess({"unshare", "--mount", "sh", "-c", script, "sh", TANDEM_COMMAND}, environment_, 60000);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* expected : {"as nobody 125", "untouched", "\"file\": \"/etc/environment.d/60-tandem.conf\"", "mode 644",
                               "TANDEM_ENABLE=1\n", "TANDEM_SESSION=1\n", "files left 0\n"}) {
    EXPECT_NE(result.out.find(expected), std::string::npos) << expected << "\n" << result.out << result.err;
  }
  EXPECT_NE(result.err.find("tandem enable: /etc/environment.d"), std::string::npos) << result.err;
  EXPECT_FALSE(fs::exists(SessionFile()));
}

TEST_F(Session, UnlistedProgram_GetsNoFunctionOfTandem) {
  ASSERT_EQ(Tandem({"enable"}).exit_code, 0);
  StartSession();
  const std::vector<std::string> program{Program("tandem_pointers")};
  const ProcessResult unlisted = RunProcess(program, environment_, 60000);
  EXPECT_EQ(unlisted.exit_code, 0) << unlisted.err;
  EXPECT_EQ(unlisted.err, "");
  EXPECT_EQ(Printed(unlisted.out, "given"), 0) << unlisted.out;
  // The loader keeps vkGetInstanceProcAddr and vkGetDeviceProcAddr of each element, and vkCreateDevice keeps the chain whole.
  EXPECT_LE(Printed(unlisted.out, "device"), 1) << unlisted.out;
  EXPECT_LE(Printed(unlisted.out, "instance"), 2) << unlisted.out;
  Allow("tandem_pointers");
  const ProcessResult listed = RunProcess(program, environment_, 60000);
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_GT(Printed(listed.out, "given"), 3) << listed.out;
  EXPECT_GT(Printed(listed.out, "device"), 5) << listed.out;
  EXPECT_GT(Printed(listed.out, "instance"), 10) << listed.out;
}

// The files that a process opens, by strace.
std::string Opened(const std::vector<std::string>& program, const Environment& environment) {
  const ScratchFolder scratch;
  std::vector<std::string> words{"strace", "-f", "-o", scratch.File("trace"), "-e", "trace=openat,open"};
  words.insert(words.end(), program.begin(), program.end());
  const ProcessResult result = RunProcess(words, environment, 60000);
  EXPECT_FALSE(result.timed_out);
  std::ifstream file(scratch.File("trace"));
  std::string opened;
  for (std::string line; std::getline(file, line);) {
    if (line.find("= -1") == std::string::npos) opened += line + "\n";
  }
  EXPECT_NE(opened.find("libvulkan.so.1"), std::string::npos) << "strace saw nothing: " << result.err;
  return opened;
}

// SwiftShader stands for the GPU that sleeps: its library is opened as a node of a GPU would be.
TEST_F(Session, SleepingAdapter_IsOpenedByListedProgramsAlone) {
  if (RunProcess({"strace", "-o", "/dev/null", "true"}, {}, 10000).exit_code != 0) {
    GTEST_SKIP() << "strace is not installed, or may not trace.";
  }
  const auto drivers = VulkanDrivers();
  if (drivers.size() < 2) GTEST_SKIP() << "There is no second Vulkan driver.";
  const ScratchFolder data;
  InstallDrivers(drivers, data);
  const ProcessResult enabled = Tandem({"enable", "--keep-asleep", "SwiftShader"});
  ASSERT_EQ(enabled.exit_code, 0) << enabled.err;
  StartSession();
  environment_.emplace_back("XDG_DATA_DIRS", Share());

  const std::string program = Program("tandem_pointers");
  const std::string unlisted = Opened({program}, environment_);
  EXPECT_EQ(unlisted.find("libvk_swiftshader.so"), std::string::npos) << unlisted;
  EXPECT_NE(unlisted.find("libvulkan_lvp.so"), std::string::npos);
  const ProcessResult before = RunProcess({program}, environment_, 60000);
  EXPECT_EQ(before.out.find("sees SwiftShader"), std::string::npos) << before.out;
  EXPECT_NE(before.out.find("sees llvmpipe"), std::string::npos) << before.out << before.err;

  Allow("tandem_pointers");
  std::ofstream(home_.File("tandem/tandem.toml"), std::ios::app) << "render = \"SwiftShader\"\n";
  EXPECT_NE(Opened({program}, environment_).find("libvk_swiftshader.so"), std::string::npos);
  const ProcessResult after = RunProcess({program}, environment_, 60000);
  EXPECT_NE(after.out.find("sees SwiftShader"), std::string::npos) << after.out << after.err;
}

// A session in which SwiftShader alone exists, sleeps, and is seen by programs without Tandem.
class ShownAsleep : public Session {
 protected:
  void SetUp() override {
    Session::SetUp();
    if (RunProcess({"strace", "-o", "/dev/null", "true"}, {}, 10000).exit_code != 0) {
      GTEST_SKIP() << "strace is not installed, or may not trace.";
    }
    if (VulkanDrivers().size() < 2) GTEST_SKIP() << "There is no second Vulkan driver.";
    InstallDrivers({VulkanDrivers().back()}, data_);
    plain_ = environment_;
    const ProcessResult enabled = Tandem({"enable", "--keep-asleep", "SwiftShader", "--show-asleep"});
    ASSERT_EQ(enabled.exit_code, 0) << enabled.err;
    StartSession();
    environment_.emplace_back("XDG_DATA_DIRS", Share());
  }

  const ScratchFolder data_;
  Environment plain_;  // without Tandem
};

TEST_F(ShownAsleep, UnlistedProgram_SeesTheDriversOwnAnswersAndOpensNothing) {
  const std::vector<std::string> describe{Program("tandem_describe")};
  const std::string asleep = Opened(describe, environment_);
  EXPECT_EQ(asleep.find("libvk_swiftshader.so"), std::string::npos) << asleep;
  EXPECT_EQ(asleep.find("/dev/dri"), std::string::npos) << asleep;
  const ProcessResult seen = RunProcess(describe, environment_, 60000);
  const ProcessResult plain = RunProcess(describe, plain_, 60000);
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_NE(plain.out.find("\nextension VK_KHR_swapchain "), std::string::npos);
  EXPECT_EQ(seen.out, plain.out) << seen.err;
  EXPECT_NE(Opened({describe[0], "--device"}, environment_).find("libvk_swiftshader.so"), std::string::npos);
}

TEST_F(ShownAsleep, UnlistedProgram_GetsTheDriversDevice) {
  const ProcessResult unlisted = RunProcess({Program("tandem_pointers")}, environment_, 60000);
  EXPECT_EQ(unlisted.exit_code, 0) << unlisted.err;
  EXPECT_EQ(Printed(unlisted.out, "given"), 0) << unlisted.out;
  EXPECT_NE(unlisted.out.find("sees SwiftShader"), std::string::npos) << unlisted.out;
  Allow("tandem_pointers");
  const ProcessResult listed = RunProcess({Program("tandem_pointers")}, environment_, 60000);
  EXPECT_GT(Printed(listed.out, "given"), 3) << listed.out << listed.err;
}

TEST_F(ShownAsleep, UnlistedProgramWithAWindow_ShowsItsFramesItself) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  environment_.emplace_back("DISPLAY", server->display());
  environment_.emplace_back("TANDEM_STATS_JSON", home_.File("stats.json"));
  const std::vector<std::string> paint{Program("tandem_paint"), "--xcb", "--frames", "10", "--size", "160x120"};
  const ProcessResult painted = RunProcess(paint, environment_, 60000);
  EXPECT_EQ(painted.exit_code, 0) << painted.err;
  EXPECT_FALSE(fs::exists(home_.File("stats.json"))) << "Tandem showed its frames.";
}

// Without a driver of the name, Tandem has nothing to show, and switched off it shows nothing.
TEST_F(ShownAsleep, NoSuchDriverOrSwitchedOff_IsNoDevice) {
  for (const auto& [name, value] : {std::pair{"TANDEM_SHOW_ASLEEP", "/nonexistent.json"}, std::pair{"TANDEM_DISABLE", "1"}}) {
    Environment environment = environment_;
    environment.emplace_back(name, value);
    const ProcessResult refused = RunProcess({Program("tandem_describe")}, environment, 60000);
    EXPECT_NE(refused.err.find("vkCreateInstance answered -"), std::string::npos) << refused.err;
    EXPECT_LT(refused.exit_code, 128);
  }
}

TEST_F(Session, ShowAsleep_NeedsOneAdapterThatIsKeptAsleep) {
  const ProcessResult result = Tandem({"enable", "--show-asleep"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE(result.err.find("--keep-asleep names 0"), std::string::npos) << result.err;
  EXPECT_FALSE(fs::exists(SessionFile()));
}

TEST_F(Session, KeepAsleep_AdapterWithoutADriverOfItsOwn_IsRefused) {
  for (const char* selector : {"soft", "no such gpu"}) {
    const ProcessResult result = Tandem({"enable", "--keep-asleep", selector});
    EXPECT_NE(result.exit_code, 0);
    EXPECT_NE(result.err.find("--keep-asleep"), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(SessionFile()));
  }
}

}  // namespace
}  // namespace tandem::test
