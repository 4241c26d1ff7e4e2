// `tandem menu` in a home folder of its own, beside files that are the user's.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/desktop/private_bus.h"

namespace tandem::test {
namespace {
namespace fs = std::filesystem;

constexpr char kUsersUca[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<actions>\n<!-- mine "
    "--><action>\n\t<name>Mine</name>\n\t<unique-id>1-1</unique-id>\n"
    "\t<command>true %f</command></action>\n</actions>\n";
constexpr char kPaint[] =
    "[Desktop Entry]\n# of the package\nType=Application\nName=Paint\nName[de]=Malen\nExec=paint %F\nActions=new;\n\n"
    "[Desktop Action new]\nName=New\nExec=paint --new\n";

class Menu : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(TANDEM_DESKTOP)) GTEST_SKIP() << "tandem-desktop is not built, because gio-unix-2.0 is not installed.";
    if (VulkanDrivers().size() < 2) GTEST_SKIP() << "This needs lavapipe and SwiftShader.";
    Write("home/config/Thunar/uca.xml", kUsersUca);
    Write("home/data/applications/mine.desktop", kPaint);
    Write("home/data/nautilus/scripts/mine", "#!/bin/sh\n");
    Write("system/applications/paint.desktop", kPaint);
    for (const char* program : {"thunar", "dolphin", "nautilus"}) {
      Write(std::string("bin/") + program, "#!/bin/sh\n");
      fs::permissions(folder_.File(std::string("bin/") + program), fs::perms::owner_all);
    }
    environment_ = WithDrivers(VulkanDrivers());
    environment_.insert(environment_.end(), {{"XDG_DATA_HOME", folder_.File("home/data")},
                                             {"XDG_CONFIG_HOME", folder_.File("home/config")},
                                             {"XDG_DATA_DIRS", folder_.File("system")},
                                             {"XDG_CONFIG_DIRS", folder_.File("system")},
                                             {"HOME", folder_.File("home")},
                                             {"XDG_CACHE_HOME", folder_.File("cache")},  // the kept list of adapters
                                             {"PATH", folder_.File("bin") + ":/usr/bin:/bin"}});
  }
  void Write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(folder_.File(name)).parent_path());
    std::ofstream(folder_.File(name)) << text;
  }
  [[nodiscard]] std::string Text(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(folder_.File(name)).rdbuf();
    return text.str();
  }
  [[nodiscard]] ProcessResult Tandem(const std::vector<std::string>& words) const {
    std::vector<std::string> argv{TANDEM_COMMAND, "menu"};
    argv.insert(argv.end(), words.begin(), words.end());
    return RunProcess(argv, environment_, 30000);
  }
  // Every file and folder of the home with its text.
  [[nodiscard]] std::map<std::string, std::string> Home() const {
    std::map<std::string, std::string> files;
    const fs::path home = folder_.File("home");
    for (const auto& entry : fs::recursive_directory_iterator(home)) {
      const std::string name = fs::relative(entry.path(), home).string();
      files[name] = entry.is_regular_file() ? Text("home/" + name) : "folder";
    }
    return files;
  }

  ScratchFolder folder_;
  Environment environment_;
};

TEST_F(Menu, InstallAndRemove_LeaveEveryByteOfTheHome) {
  const auto before = Home();
  const ProcessResult installed = Tandem({"install", "paint"});
  ASSERT_EQ(installed.exit_code, 0) << installed.out << installed.err;
  const auto between = Home();
  EXPECT_EQ(between.at("data/nautilus/scripts/mine"), "#!/bin/sh\n");
  EXPECT_EQ(between.at("data/applications/mine.desktop"), kPaint);
  EXPECT_NE(between.at("config/Thunar/uca.xml").find("<name>Run on llvmpipe"), std::string::npos);
  EXPECT_NE(between.at("data/kio/servicemenus/tandem.desktop").find("Name=Run on SwiftShader"), std::string::npos);
  const std::string copy = between.at("data/applications/paint.desktop");
  EXPECT_NE(copy.find("Actions=new;tandem-gpu-0;tandem-gpu-1;"), std::string::npos) << copy;
  EXPECT_NE(copy.find("Name[de]=Malen\nExec=paint %F\n"), std::string::npos) << "double click is the default: " << copy;
  EXPECT_EQ(Tandem({"install"}).exit_code, 0);
  EXPECT_EQ(Home(), between) << "once is enough";
  const ProcessResult removed = Tandem({"remove"});
  EXPECT_EQ(removed.exit_code, 0) << removed.out;
  EXPECT_EQ(Home(), before);
  EXPECT_EQ(Tandem({"remove"}).out, "");
}

TEST_F(Menu, ThunarWithoutActionsOfTheUser_KeepsTheSystems) {
  fs::remove_all(folder_.File("home/config/Thunar"));
  Write("system/Thunar/uca.xml", kUsersUca);
  const auto before = Home();
  EXPECT_EQ(Tandem({"install"}).exit_code, 0);
  EXPECT_NE(Text("home/config/Thunar/uca.xml").find("<name>Mine</name>"), std::string::npos);
  EXPECT_EQ(Tandem({"remove"}).exit_code, 0);
  EXPECT_EQ(Home(), before);
}

TEST_F(Menu, EntryOfTheUser_IsNotReplaced) {
  Write("home/data/applications/paint.desktop", "[Desktop Entry]\nType=Application\nName=My paint\nExec=paint --mine\n");
  const auto before = Home();
  const ProcessResult refused = Tandem({"install", "paint"});
  EXPECT_EQ(refused.exit_code, 125);
  EXPECT_NE(refused.out.find("it stays as it is"), std::string::npos) << refused.out;
  EXPECT_EQ(Tandem({"install", "nothing"}).exit_code, 125);
  EXPECT_EQ(Tandem({"install", "../mine.desktop"}).exit_code, 125);
  EXPECT_EQ(Tandem({"remove"}).exit_code, 0);
  EXPECT_EQ(Home(), before);
}

TEST_F(Menu, CopyThatTheUserChanged_KeepsTheChange) {
  EXPECT_EQ(Tandem({"install", "paint"}).exit_code, 0);
  std::string copy = Text("home/data/applications/paint.desktop");
  copy.replace(copy.find("paint %F"), 8, "paint --dark %F");
  Write("home/data/applications/paint.desktop", copy);
  EXPECT_NE(Tandem({"list"}).out.find("changed by hand"), std::string::npos);
  EXPECT_EQ(Tandem({"remove"}).exit_code, 0);
  const std::string kept = Text("home/data/applications/paint.desktop");
  EXPECT_NE(kept.find("paint --dark %F"), std::string::npos);
  EXPECT_EQ(kept.find("andem"), std::string::npos) << kept;
}

TEST_F(Menu, ProgramThatIsGone_LosesItsCopy) {
  EXPECT_EQ(Tandem({"install", "paint"}).exit_code, 0);
  fs::remove(folder_.File("system/applications/paint.desktop"));
  EXPECT_EQ(Tandem({"install"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(folder_.File("home/data/applications/paint.desktop")));
}

TEST_F(Menu, BrokenActionsOfThunar_StayAsTheyAre) {
  Write("home/config/Thunar/uca.xml", "<actions><action>");
  const auto before = Home();
  const ProcessResult refused = Tandem({"install"});
  EXPECT_EQ(refused.exit_code, 125);
  EXPECT_NE(refused.out.find("uca.xml cannot be read"), std::string::npos) << refused.out;
  EXPECT_EQ(Tandem({"remove"}).exit_code, 0);
  EXPECT_EQ(Home(), before);
}

TEST_F(Menu, HomeThatCannotBeWritten_IsASentenceForEachMenu) {
  const auto before = Home();
  environment_.emplace_back("XDG_DATA_HOME", "/dev/null");
  const ProcessResult installed = Tandem({"install", "paint"});
  EXPECT_EQ(installed.exit_code, 125);
  EXPECT_NE(installed.out.find("/dev/null/kio/servicemenus"), std::string::npos) << installed.out;
  EXPECT_NE(installed.out.find("thunar    installed"), std::string::npos) << installed.out;
  EXPECT_EQ(Tandem({"remove"}).exit_code, 0);
  EXPECT_EQ(Home(), before);
}

TEST_F(Menu, List_SaysWhereAsJson) {
  EXPECT_EQ(Tandem({"install"}).exit_code, 0);
  const auto list = nlohmann::json::parse(Tandem({"list", "--json"}).out, nullptr, false);
  ASSERT_TRUE(list.is_object());
  ASSERT_EQ(list["menus"].size(), 3u);
  for (const auto& menu : list["menus"]) EXPECT_EQ(menu["state"], "installed") << menu.dump();
}

TEST_F(Menu, Scripts_StartTheProgramThereOnceOrAlways) {
  const std::string said = folder_.File("said");
  Write("system/applications/say.desktop",
        "[Desktop Entry]\nType=Application\nName=Say\nExec=sh -c \"echo render $TANDEM_RENDER >" + said + "\"\n");
  EXPECT_EQ(Tandem({"install"}).exit_code, 0);
  const std::string policy = folder_.File("home/config/tandem/tandem.toml");
  for (const std::string start : {"Run on llvmpipe", "Always run on llvmpipe"}) {
    for (const auto& entry : fs::directory_iterator(folder_.File("home/data/nautilus/scripts/Tandem"))) {
      if (!entry.path().filename().string().starts_with(start)) continue;
      fs::remove(said);
      Process script({"/bin/sh", "-c", "mkfifo \"$3\"; \"$1\" \"$2\" & cat \"$3\"; echo closed", "sh", entry.path().string(),
                      folder_.File("system/applications/say.desktop"), said},
                     environment_);
      EXPECT_TRUE(script.WaitForOutput("closed", 20000));
      EXPECT_NE(script.output().find("render 6d65"), std::string::npos) << script.output();  // lavapipe's UUID
    }
    EXPECT_EQ(fs::exists(policy), start.starts_with("Always"));
  }
  // A shell runs it, so the entry names it.
  const std::string text = Text("home/config/tandem/tandem.toml");
  EXPECT_NE(text.find("[app.\"say.desktop\"]\nuse = \"always\"\nrender = \"6d65"), std::string::npos) << text;
}

// A program that a menu's entry started waits while the menus are removed, and draws afterwards.
TEST_F(Menu, RemovedWhileProgramsRun_TheyGoOnAndNothingIsLeft) {
  const std::string stats = folder_.File("stats");
  Write("system/applications/waits.desktop", "[Desktop Entry]\nType=Application\nName=Waits\nExec=sh -c \"mkfifo " +
                                                 folder_.File("go") + "; echo started > " + folder_.File("said") +
                                                 "; read go < " + folder_.File("go") + "; TANDEM_STATS_JSON=" + stats +
                                                 " TANDEM_OUTPUT=headless TANDEM_DISPLAY=soft " + Program("tandem_paint") +
                                                 " --frames 5; echo ended > " + folder_.File("said") + "\"\n");
  const auto before = Home();
  ASSERT_EQ(Tandem({"install", "waits"}).exit_code, 0);
  ASSERT_EQ(RunProcess({"mkfifo", folder_.File("said")}, {}, 5000).exit_code, 0);
  // The action of the entry's copy, as a desktop runs it.
  const ProcessResult launched = RunProcess({TANDEM_COMMAND, "launch", "--action", "tandem-gpu-1", "waits"}, environment_, 30000);
  ASSERT_EQ(launched.exit_code, 0) << launched.err;
  Process said({"sh", "-c", "cat \"$1\"; cat \"$1\"", "sh", folder_.File("said")}, environment_);
  ASSERT_TRUE(said.WaitForOutput("started", 30000));
  const ProcessResult removed = Tandem({"remove"});
  EXPECT_EQ(removed.exit_code, 0) << removed.out;
  EXPECT_EQ(Home(), before);
  std::ofstream(folder_.File("go")) << "go\n";
  ASSERT_TRUE(said.WaitForOutput("ended", 30000));
  std::ifstream file(stats);
  const auto figures = nlohmann::json::parse(file, nullptr, false);
  ASSERT_TRUE(figures.is_object());
  EXPECT_EQ(figures["frames_shown"], 5);
  EXPECT_NE(figures["render_adapter"].get<std::string>().find("SwiftShader"), std::string::npos) << figures.dump();
  EXPECT_EQ(Home(), before);
}

}  // namespace
}  // namespace tandem::test
