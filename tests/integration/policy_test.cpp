// Which program goes where: the layer in real processes, wrapped and not, and what `tandem policy` says of them.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

using testing::HasSubstr;

// A machine with policy files of its own, and a session whose layer is on.
class PolicySession : public testing::Test {
 protected:
  PolicySession() {
    for (const char* const folder : {"tandem", "root/usr/share/tandem/policy.d", "root/etc/tandem/policy.d"}) {
      std::filesystem::create_directories(home_.File(folder));
    }
  }
  void Vendor(const std::string& text) const { Write("root/usr/share/tandem/policy.d/v.toml", text); }
  void Administrator(const std::string& text) const { Write("root/etc/tandem/policy.d/a.toml", text); }
  void User(const std::string& text) const { Write("tandem/tandem.toml", text); }
  [[nodiscard]] std::string UserFile() const { return home_.File("") + "/tandem/tandem.toml"; }
  [[nodiscard]] std::string File(const std::string& name) const { return home_.File(name); }

  [[nodiscard]] Environment Session(const Environment& more) const {
    Environment environment = WithDrivers(VulkanDrivers());
    const std::string layer = TANDEM_LAYER;
    environment.insert(environment.end(), {{"XDG_CONFIG_HOME", home_.File("")},
                                           {"TANDEM_POLICY_ROOT", home_.File("root")},
                                           {"XDG_DATA_DIRS", layer.substr(0, layer.rfind('/')) + "/share"},
                                           {"TANDEM_ENABLE", "1"},
                                           {"TANDEM_SESSION", "1"}});
    environment.insert(environment.end(), more.begin(), more.end());
    return environment;
  }
  // True if the program presented through Tandem, which leaves figures.
  [[nodiscard]] bool Served(const std::vector<std::string>& program, Environment more) const {
    std::filesystem::remove(home_.File("stats.json"));
    more.insert(more.end(), {{"TANDEM_STATS_JSON", home_.File("stats.json")}, {"TANDEM_OUTPUT", "headless"}});
    (void)RunProcess(program, Session(more), 60000);
    std::ifstream stream(home_.File("stats.json"));
    if (!stream) return false;
    stats_ = nlohmann::json::parse(stream);
    return true;
  }
  [[nodiscard]] ProcessResult Policy(std::vector<std::string> arguments, const Environment& more) const {
    arguments.insert(arguments.begin(), {TANDEM_COMMAND, "policy"});
    return RunProcess(arguments, Session(more), 60000);
  }
  [[nodiscard]] std::string UserText() const {
    std::ostringstream text;
    text << std::ifstream(UserFile()).rdbuf();
    return text.str();
  }

  mutable nlohmann::json stats_;

 private:
  void Write(const std::string& name, const std::string& text) const { std::ofstream(home_.File(name)) << text; }

  ScratchFolder home_;
};

std::vector<std::string> Paint() { return {Program("tandem_paint"), "--frames", "2"}; }

TEST_F(PolicySession, ProgramThatIsNotListed_IsLeftAloneUntilItIsLaunched) {
  EXPECT_FALSE(Served(Paint(), {}));
  EXPECT_TRUE(Served(Paint(), {{"TANDEM_RENDER", "llvmpipe"}}));
}

TEST_F(PolicySession, TableThatNamesTheProgram_HasItServedByAnyOfItsNames) {
  for (const char* const pattern :
       {"tandem_paint", "exe:*/tandem_paint", "application:Test*", "engine:Pattern", "steam:440", "flatpak:org.example.*"}) {
    User(std::string("[app.it]\nmatch = [\"nothing\", \"") + pattern + "\"]\nuse = \"always\"\n");
    EXPECT_TRUE(Served(Paint(), {{"SteamAppId", "440"}, {"FLATPAK_ID", "org.example.Game"}})) << pattern;
  }
  User("[app.it]\nmatch = [\"application:Other\", \"engine:Patter\", \"steam:44\"]\nuse = \"always\"\n");
  EXPECT_FALSE(Served(Paint(), {{"SteamAppId", "440"}}));
}

TEST_F(PolicySession, ProgramThatChangesItsName_StaysTheProgramThatItIs) {
  User("[app.tandem_paint]\nuse = \"always\"\n[app.allowed]\nuse = \"always\"\n");
  EXPECT_TRUE(Served({"/bin/bash", "-c", "exec -a liar \"$0\" --frames 2", Program("tandem_paint")}, {}));
  User("[app.allowed]\nuse = \"always\"\n");
  EXPECT_FALSE(Served({"/bin/bash", "-c", "exec -a allowed \"$0\" --frames 2", Program("tandem_paint")}, {}));
}

TEST_F(PolicySession, WindowsProgram_IsFoundBehindTheLoaderOfWine) {
  // A loader of wine that has named itself after its program.
  const std::string loader = File("wine64-preloader");
  std::filesystem::copy_file(Program("tandem_paint"), loader);
  const std::vector<std::string> wine{"/bin/bash", "-c", "exec -a 'C:\\Games\\Game.exe' \"$0\" --frames 2", loader};
  User("[app.\"windows:game.exe\"]\nuse = \"always\"\n");
  EXPECT_TRUE(Served(wine, {}));
  User("[app.\"windows:other.exe\"]\nuse = \"always\"\n");
  EXPECT_FALSE(Served(wine, {}));
}

TEST_F(PolicySession, InheritedVariable_ChoosesWhereNoTableDoes) {
  const std::vector<VulkanDriver> drivers = VulkanDrivers();
  if (drivers.size() < 2) GTEST_SKIP() << "Only one Vulkan driver is installed.";
  User("[app.tandem_paint]\nuse = \"always\"\n");
  ASSERT_TRUE(Served(Paint(), {{"DRI_PRIME", "10005:0"}}));
  const std::string first = stats_["render_adapter"];
  ASSERT_TRUE(Served(Paint(), {{"DRI_PRIME", "1ae0:c0de"}}));
  EXPECT_NE(stats_["render_adapter"], first);
  // An adapter that is not there counts as none.
  EXPECT_TRUE(Served(Paint(), {{"DRI_PRIME", "pci-0000_7f_00_0"}}));
}

TEST_F(PolicySession, Wrappers_DoNotHideTheProgramOrItsDesktopEntry) {
  User(
      "[app.sh]\nuse = \"never\"\n[app.dash]\nuse = \"never\"\n[app.it]\nmatch = [\"desktop:org.example.Paint\"]\nuse = "
      "\"always\"\n");
  const std::string line =
      "export GIO_LAUNCHED_DESKTOP_FILE_PID=$$; /bin/sh -c '" + Program("tandem_paint") + " --frames 2; exit $?'; exit $?";
  EXPECT_TRUE(
      Served({"/bin/sh", "-c", line}, {{"GIO_LAUNCHED_DESKTOP_FILE", "/usr/share/applications/org.example.Paint.desktop"}}));
  // Inherited from a process that is no ancestor.
  EXPECT_FALSE(Served(Paint(), {{"GIO_LAUNCHED_DESKTOP_FILE", "/usr/share/applications/org.example.Paint.desktop"},
                                {"GIO_LAUNCHED_DESKTOP_FILE_PID", "999999999"}}));
}

TEST_F(PolicySession, Sources_OutweighEachOtherUpToTheLock) {
  Vendor("[app.tandem_paint]\npath = \"cpu\"\n");
  User("[app.tandem_paint]\nuse = \"always\"\npath = \"two-copy\"\nrender = \"llvmpipe\"\n");
  ASSERT_TRUE(Served(Paint(), {}));
  EXPECT_EQ(stats_["path"], "two-copy");
  Administrator("[app.tandem_paint]\nlock = [\"path\"]\n");
  ASSERT_TRUE(Served(Paint(), {{"TANDEM_PATH", "one-copy"}}));
  EXPECT_EQ(stats_["path"], "cpu");
  Administrator("[app.tandem_paint]\nuse = \"never\"\nlock = [\"use\"]\n");
  EXPECT_FALSE(Served(Paint(), {{"TANDEM_RENDER", "llvmpipe"}}));
}

TEST_F(PolicySession, BrokenFiles_FailNoProgram) {
  Vendor("[app\n");
  Administrator("[default]\nspeed = 3\nuse = \"never\"\n");
  User("[default]\nspeed = 1\n[app.tandem_paint]\nuse = \"always\"\n[app.other]\nmatch = 3\n");
  EXPECT_TRUE(Served(Paint(), {}));
  const ProcessResult check = Policy({"check"}, {});
  EXPECT_EQ(check.exit_code, 125);
  for (const char* const place :
       {"v.toml:1: ", "a.toml:2: [default] has a key 'speed'", "tandem.toml:2: ", "tandem.toml:6: match is not"}) {
    EXPECT_THAT(check.out, HasSubstr(place));
  }
}

TEST_F(PolicySession, AllowAndDeny_ChangeWhatTheNextProcessGets) {
  User("# Mine.\n[default]\nstats = false # quiet\n");
  const ProcessResult allowed = Policy({"allow", "tandem_paint", "--render", "llvmpipe"}, {});
  EXPECT_EQ(allowed.exit_code, 0) << allowed.err;
  EXPECT_EQ(UserText(),
            "# Mine.\n[default]\nstats = false # quiet\n\n[app.\"tandem_paint\"]\nuse = \"always\"\nrender = \"llvmpipe\"\n");
  EXPECT_TRUE(Served(Paint(), {}));
  EXPECT_EQ(Policy({"deny", "tandem_paint"}, {}).exit_code, 0);
  EXPECT_FALSE(Served(Paint(), {{"TANDEM_RENDER", "llvmpipe"}}));
  const ProcessResult refused = Policy({"allow", "tandem_paint", "--render", "a\nb"}, {});
  EXPECT_EQ(refused.exit_code, 125);
  EXPECT_THAT(refused.err, HasSubstr("tandem policy allow: render: The value has a control character in it."));
  // What outweighs the new line is said.
  Administrator("[app.tandem_paint]\nuse = \"never\"\nlock = \"use\"\n");
  EXPECT_THAT(Policy({"allow", "tandem_paint"}, {}).out, HasSubstr("a.toml:2, [app.\"tandem_paint\"] leaves this program alone"));
}

TEST_F(PolicySession, ExplainOfARunningProgram_NamesTheLineThatDecidedAndThoseThatLost) {
  Vendor("[app.tandem_paint]\nuse = \"never\"\n");
  User("[default]\nuse = \"when-launched\"\n[app.tandem_paint]\nuse = \"always\"\n");
  Process program({Program("tandem_paint"), "--frames", "2", "--hold"},
                  Session({{"DRI_PRIME", "pci-0000_01_00_0"}, {"TANDEM_OUTPUT", "headless"}}));
  ASSERT_TRUE(program.WaitForOutput("painted", 60000));
  const ProcessResult explained = Policy({"explain", "--json", "--pid", std::to_string(program.pid())}, {});
  ASSERT_EQ(explained.exit_code, 0) << explained.err;
  const auto json = nlohmann::json::parse(explained.out);
  EXPECT_EQ(json["program"]["exe"], std::filesystem::canonical(Program("tandem_paint")).string());
  EXPECT_EQ(json["served"], true);
  ASSERT_GE(json["lines"].size(), 3U);
  EXPECT_EQ(json["lines"][0]["value"], "always");
  EXPECT_EQ(json["lines"][0]["file"], UserFile());
  EXPECT_EQ(json["lines"][0]["line"], 4);
  EXPECT_EQ(json["lines"][1]["lost"], "the user's file outweighs the vendor's file");
  EXPECT_EQ(json["lines"][2]["lost"], "a table that names the program outweighs [default]");
  EXPECT_EQ(json["inherited"][json["inherited"].size() - 1]["variable"], "DRI_PRIME");
  const std::string text = Policy({"explain", "--pid", std::to_string(program.pid())}, {}).out;
  EXPECT_THAT(text, HasSubstr("  lost:    use = never"));
  EXPECT_EQ(Policy({"explain", "--pid", "2000000000"}, {}).exit_code, 125);
}

TEST_F(PolicySession, TandemRun_SaysWhatALockKeepsOutAndGoesOn) {
  Administrator("[app.tandem_paint]\npath = \"two-copy\"\nlock = [\"path\"]\n");
  std::vector<std::string> argv{TANDEM_COMMAND, "run",    "--render", "llvmpipe",     "--display",      "soft", "--output",
                                "headless",     "--path", "cpu",      "--stats-json", File("run.json"), "--"};
  for (const std::string& word : Paint()) argv.push_back(word);
  const ProcessResult result = RunProcess(argv, Session({}), 60000);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("tandem run: path of --path is not taken: "));
  std::ifstream stream(File("run.json"));
  ASSERT_TRUE(stream) << result.err;
  EXPECT_EQ(nlohmann::json::parse(stream)["path"], "two-copy");
}

}  // namespace
}  // namespace tandem::test
