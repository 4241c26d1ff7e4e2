#include "config/policy/identity.h"

#include <map>

#include <gtest/gtest.h>
#include <unistd.h>

#include "config/policy/pattern.h"

namespace tandem::config {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

ProcessFacts Facts(std::string executable, Variables variables) {
  ProcessFacts facts;
  facts.executable = std::move(executable);
  facts.variable = [variables](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  return facts;
}

bool Fits(std::string_view pattern, const ProgramIdentity& program) {
  const auto parsed = ParsePattern(pattern);
  EXPECT_TRUE(parsed.ok()) << pattern;
  return parsed.ok() && Matches(*parsed, program);
}

TEST(Identity, ExecutableThatWasReplaced_KeepsItsName) {
  const ProgramIdentity program = Identify(Facts("/opt/game/bin/game (deleted)", {}));
  EXPECT_EQ(program.executable, "/opt/game/bin/game");
  EXPECT_EQ(program.windows, "");
}

TEST(Identity, WineLoader_HasTheWindowsProgramOfItsArguments) {
  using namespace std::string_literals;
  ProcessFacts facts = Facts("/usr/lib/wine/wine64-preloader", {});
  facts.command_line = "C:\\Games\\A b\\Game.EXE\0-windowed\0other.exe\0"s;
  EXPECT_EQ(Identify(facts).windows, "C:\\Games\\A b\\Game.EXE");
  facts.command_line = "/usr/lib/wine/wine64-preloader\0wine\0/srv/game.exe\0"s;
  EXPECT_EQ(Identify(facts).windows, "/srv/game.exe");
  facts.command_line = "wine\0winecfg"s;
  EXPECT_EQ(Identify(facts).windows, "");
  // Another program may call itself whatever it likes.
  facts.executable = "/usr/bin/python3";
  facts.command_line = "C:\\Games\\Game.exe\0"s;
  EXPECT_EQ(Identify(facts).windows, "");
}

TEST(Identity, LaunchersVariables_GiveTheirIds) {
  EXPECT_EQ(Identify(Facts("/x", {{"SteamAppId", "440"}, {"STEAM_COMPAT_APP_ID", "1"}})).steam, "440");
  EXPECT_EQ(Identify(Facts("/x", {{"SteamAppId", "0"}, {"STEAM_COMPAT_APP_ID", "570"}})).steam, "570");
  EXPECT_EQ(Identify(Facts("/x", {{"SteamAppId", "../7"}})).steam, "");
  ProcessFacts flatpak = Facts("/app/bin/x", {{"FLATPAK_ID", "org.liar.Game"}});
  EXPECT_EQ(Identify(flatpak).flatpak, "org.liar.Game");
  flatpak.flatpak_info = "[Runtime]\nname=no\n[Application]\nname=org.example.Game\n[Instance]\nname=no\n";
  EXPECT_EQ(Identify(flatpak).flatpak, "org.example.Game");
}

TEST(Identity, DesktopEntry_CountsForItsOwnProcessAndThoseBelow) {
  ProcessFacts facts = Facts("/x", {{"GIO_LAUNCHED_DESKTOP_FILE", "/usr/share/applications/kde/org.kde.game.desktop"},
                                    {"GIO_LAUNCHED_DESKTOP_FILE_PID", "12"}});
  EXPECT_EQ(Identify(facts).desktop, "");
  facts.is_self_or_ancestor = [](std::string_view pid) { return pid == "12"; };
  EXPECT_EQ(Identify(facts).desktop, "kde-org.kde.game.desktop");
}

TEST(Identity, ThisProcess_IsThisTest) {
  const ProgramIdentity program = IdentifyThisProcess({.application = "a", .engine = "e"});
  EXPECT_TRUE(program.executable.ends_with("/config_test")) << program.executable;
  EXPECT_EQ(program.names.application, "a");
  const auto other = IdentifyProcess(getppid());
  ASSERT_TRUE(other.ok()) << other.error().message;
  EXPECT_EQ(other->executable.front(), '/');
  EXPECT_EQ(IdentifyProcess(0x7fffffff).error().kind, ErrorKind::kNotFound);
}

TEST(Pattern, EachKind_LooksAtItsOwnName) {
  ProgramIdentity program;
  program.executable = "/opt/game/bin/Game";
  program.windows = "C:\\Games\\Sub\\Game.exe";
  program.steam = "440";
  program.flatpak = "org.example.Game";
  program.desktop = "org.example.Game.desktop";
  program.names = {.application = "Übung 1", .engine = "Engine"};
  for (const char* const yes :
       {"Game", "exe:Game", "Ga*", "*", "/opt/game/*", "exe:/opt/*/Game", "G?me", "windows:game.exe", "windows:GAME*",
        "windows:c:\\games\\*", "windows:C:/Games/Sub/Game.exe", "steam:440", "flatpak:org.example.*", "desktop:org.example.Game",
        "desktop:org.example.Game.desktop", "org.example.Game.desktop", "application:?bung*", "engine:Engine"}) {
    EXPECT_TRUE(Fits(yes, program)) << yes;
  }
  for (const char* const no : {"game", "gam", "/opt/game", "windows:Sub", "windows:ame.exe", "steam:44", "steam:4400",
                               "flatpak:Game", "desktop:Game", "application:Engine", "engine:engine", "other:Game"}) {
    EXPECT_FALSE(Fits(no, program)) << no;
  }
  for (const char* const kind : {"exe", "windows", "steam", "flatpak", "desktop", "application", "engine"}) {
    EXPECT_FALSE(Fits(std::string(kind) + ":*", ProgramIdentity{})) << kind;
  }
}

TEST(Pattern, ManyStarsAndALongName_EndAtOnce) {
  ProgramIdentity program;
  program.executable = std::string(4000, 'a');
  std::string stars;
  for (int i = 0; i < 500; ++i) stars += "*a";
  EXPECT_FALSE(Fits(stars + "b", program));
  EXPECT_TRUE(Fits(stars + "*", program));
}

TEST(Pattern, NotAName_IsRefusedInWords) {
  EXPECT_EQ(ParsePattern("").error().message, "A program's name is empty.");
  EXPECT_EQ(ParsePattern("steam:").error().message, "A program's name is empty.");
  EXPECT_EQ(ParsePattern("a\tb").error().message, "A program's name has a control character in it.");
  EXPECT_EQ(ParsePattern(std::string(5000, 'a')).error().kind, ErrorKind::kLimit);
}

}  // namespace
}  // namespace tandem::config
