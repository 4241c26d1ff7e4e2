// `tandem launch` with desktop entries of a home folder of its own.
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/desktop/private_bus.h"

namespace tandem::test {
namespace {
namespace fs = std::filesystem;

// Prints its arguments and what a launcher sets, each on a line.
constexpr char kScript[] =
    "#!/bin/sh\n"
    "for word; do echo \"word $word\"; done\n"
    "echo \"render $TANDEM_RENDER from $GIO_LAUNCHED_DESKTOP_FILE\"\necho end\n";

class LaunchEntry : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(TANDEM_DESKTOP)) GTEST_SKIP() << "tandem-desktop is not built, because gio-unix-2.0 is not installed.";
    fs::create_directories(home_.File("applications"));
    std::ofstream(script()) << kScript;
    fs::permissions(script(), fs::perms::owner_all);
    environment_ = WithDrivers(VulkanDrivers());
    environment_.emplace_back("XDG_DATA_HOME", home_.File(""));
    environment_.emplace_back("HOME", home_.File(""));
  }
  [[nodiscard]] std::string script() const { return home_.File("say"); }
  // An entry in the applications folder; `lines` stand below its Type and Name.
  void Write(const std::string& name, const std::string& lines) const {
    std::ofstream(home_.File("applications/" + name)) << "[Desktop Entry]\nType=Application\nName=Say\n" << lines;
  }
  [[nodiscard]] ProcessResult Launch(const std::vector<std::string>& words) const {
    std::vector<std::string> argv{TANDEM_COMMAND, "launch", "--output", "headless"};
    argv.insert(argv.end(), words.begin(), words.end());
    return RunProcess(argv, environment_, 30000);
  }
  // What the started program prints, which may outlive the command.
  [[nodiscard]] std::string Said(const std::vector<std::string>& words) const {
    const ScratchFolder folder;
    std::vector<std::string> argv{"/bin/sh", "-c", "out=$1; shift; mkfifo $out; \"$@\" >$out & cat $out; echo closed", "sh",
                                  folder.File("out")};
    argv.insert(argv.end(), {TANDEM_COMMAND, "launch", "--output", "headless"});
    argv.insert(argv.end(), words.begin(), words.end());
    Process process(argv, environment_);
    EXPECT_TRUE(process.WaitForOutput("closed", 30000)) << process.output();
    return process.output() + process.Wait(1000).err;
  }

  ScratchFolder home_;
  Environment environment_;
};

TEST_F(LaunchEntry, OptionsAndFiles_AreThoseOfTheEntry) {
  Write("say.desktop", "Exec=" + script() + " --name %c \"a b\" %F\n");
  const std::string said = Said({"--render", "llvmpipe", "say", "one", "/two words"});
  EXPECT_NE(said.find("word --name\nword Say\nword a b\nword " + fs::current_path().string() + "/one\nword /two words\n"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("render llvmpipe from " + home_.File("applications/say.desktop") + "\n"), std::string::npos) << said;
}

TEST_F(LaunchEntry, ProgramOfOpenGl_GetsZinkByItsPathOrByTheOption) {
  if (!fs::exists(Program("tandem_gl"))) GTEST_SKIP() << "libegl-dev or libgles-dev is not installed.";
  Write("say.desktop", "Exec=" + Program("tandem_gl") + "\n");
  const std::string zink = "set      MESA_LOADER_DRIVER_OVERRIDE=zink\n";
  EXPECT_NE(Launch({"--dry-run", Program("tandem_gl")}).out.find(zink), std::string::npos);
  EXPECT_EQ(Launch({"--dry-run", Program("tandem_paint")}).out.find(zink), std::string::npos);
  EXPECT_EQ(Launch({"--dry-run", "say"}).out.find(zink), std::string::npos);
  EXPECT_NE(Launch({"--gl", "--dry-run", "say"}).out.find(zink), std::string::npos);
}

TEST_F(LaunchEntry, Action_RunsItsOwnCommand) {
  Write("say.desktop", "Exec=false\nActions=new;\n[Desktop Action new]\nName=New\nExec=" + script() + " --new\n");
  EXPECT_NE(Said({"--action", "new", "say.desktop"}).find("word --new\n"), std::string::npos);
  const ProcessResult none = Launch({"--action", "old", "say"});
  EXPECT_EQ(none.exit_code, 127);
  EXPECT_NE(none.err.find("has no action 'old'; it has new."), std::string::npos) << none.err;
}

TEST_F(LaunchEntry, EntryForTheBus_IsStartedWithTheSettings) {
  const auto bus = PrivateBus::Start("");
  if (bus == nullptr) GTEST_SKIP() << "dbus-daemon is not installed.";
  environment_.emplace_back("DBUS_SESSION_BUS_ADDRESS", bus->address());
  Write("org.example.Say.desktop", "DBusActivatable=true\nExec=" + script() + "\n");
  const std::string said = Said({"--render", "llvmpipe", "org.example.Say"});
  EXPECT_NE(said.find("render llvmpipe from " + home_.File("applications/org.example.Say.desktop") + "\n"), std::string::npos)
      << said;
}

TEST_F(LaunchEntry, PrefersNonDefaultGpu_GetsTheOtherGpuUnlessOneIsSet) {
  if (VulkanDrivers().size() < 2) GTEST_SKIP() << "This needs lavapipe and SwiftShader.";
  Write("say.desktop", "PrefersNonDefaultGPU=true\nExec=" + script() + "\n");
  Write("plain.desktop", "Exec=" + script() + "\n");
  EXPECT_EQ(Said({"say"}).find("render  from"), std::string::npos);
  EXPECT_NE(Said({"plain"}).find("render  from"), std::string::npos);
  EXPECT_NE(Said({"--render", "SwiftShader", "say"}).find("render SwiftShader from"), std::string::npos);
  const ProcessResult shown = Launch({"--dry-run", "say"});
  EXPECT_NE(shown.out.find("set      TANDEM_RENDER="), std::string::npos) << shown.out << shown.err;
}

TEST_F(LaunchEntry, VulkanProgram_PresentsOnTheChosenAdapter) {
  Write("paint.desktop", "Exec=" + Program("tandem_paint") + " --frames 5\n");
  const std::string stats = home_.File("stats.json");
  for (const VulkanDriver& driver : VulkanDrivers()) {
    static_cast<void>(Said({"--render", driver.selector, "--stats-json", stats, "paint"}));
    std::ifstream file(stats);
    const auto figures = nlohmann::json::parse(file, nullptr, false);
    ASSERT_TRUE(figures.is_object());
    EXPECT_NE(std::string(figures["render_adapter"]).find(driver.selector), std::string::npos) << figures.dump();
    EXPECT_GE(figures["ddi_presents"], 5);
  }
}

TEST_F(LaunchEntry, ProgramOfAnEntry_IsTheOneThatPoliciesKnow) {
  const struct {
    std::string exec;
    std::string program;
  } cases[] = {{Program("tandem_paint") + " --frames 5", "tandem_paint"},
               {"env A=1 true", "say.desktop"},
               {script(), "say.desktop"},
               {"true steam://rungameid/440?x", "steam:440"},
               {"true\nX-Flatpak=org.example.Say", "flatpak:org.example.Say"}};
  for (const auto& one : cases) {
    Write("say.desktop", "Exec=" + one.exec + "\n");
    EXPECT_EQ(Launch({"--dry-run", "say"}).out.find("program  " + one.program + "\n"), 0u) << one.exec;
  }
}

TEST_F(LaunchEntry, HostileEntries_AreSentences) {
  const struct {
    const char* lines;
    int exit_code;
    const char* sentence;
  } cases[] = {
      {"Exec=\n", 126, "has no Exec line"},
      {"Name=Say\n", 126, "has no Exec line"},
      {"Exec=sh -c \"unclosed\n", 126, "cannot be read"},
      {"Exec=/nowhere/program\n", 127, "There is no program /nowhere/program"},
      {"Exec=true\nTryExec=/nowhere/needed\n", 127, "There is no program /nowhere/needed"},
      {"Type=Link\nURL=file:///etc/passwd\n", 126, "its Type is 'Link'"},
      {"Exec=true\n]]]\x1b[2J\xff\n", 126, "is no desktop entry"},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.lines);
    Write("hostile.desktop", one.lines);
    const ProcessResult result = Launch({"hostile"});
    EXPECT_EQ(result.exit_code, one.exit_code);
    EXPECT_NE(result.err.find(one.sentence), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find('\x1b'), std::string::npos);
  }
  Write("hostile.desktop", "Exec=true\nX-Long=" + std::string(1 << 20, 'x') + "\n");
  EXPECT_NE(Launch({"hostile"}).err.find("at most 1048576 are read"), std::string::npos);
}

TEST_F(LaunchEntry, DownloadedEntry_NeedsTheExecutableBit) {
  const std::string file = home_.File("downloaded.desktop");
  std::ofstream(file) << "[Desktop Entry]\nType=Application\nName=Say\nExec=" << script() << "\n";
  const ProcessResult refused = Launch({file});
  EXPECT_EQ(refused.exit_code, 126);
  EXPECT_NE(refused.err.find("is not marked as trusted"), std::string::npos) << refused.err;
  fs::permissions(file, fs::perms::owner_all);
  EXPECT_NE(Said({file}).find("end\n"), std::string::npos);
}

TEST_F(LaunchEntry, ProgramWithoutEntry_Starts) {
  const std::string odd = home_.File("100% 'odd'");
  fs::copy_file(script(), odd);
  EXPECT_NE(Said({odd, "/file"}).find("word /file\n"), std::string::npos);
  EXPECT_EQ(Launch({home_.File("nothing")}).exit_code, 127);
}

}  // namespace
}  // namespace tandem::test
