#include "config/policy/policy_scan.h"

#include <string>

#include <gtest/gtest.h>

namespace tandem::config {
namespace {

bool Concerns(std::string_view text) {
  ProgramIdentity program;
  program.executable = "/opt/game/fly";
  program.steam = "440";
  return MayConcern(text, program);
}

TEST(PolicyScan, FileWithoutTheProgram_ConcernsItNot) {
  EXPECT_FALSE(Concerns(""));
  EXPECT_FALSE(Concerns("[app.\"other\"]\nmatch = [\"another\", \"steam:441\"]\nuse = \"always\"\n"));
  EXPECT_FALSE(Concerns("# It is fly's, as 'default' is.\n[app.other]\nrender = 1  # fly\n"));
  EXPECT_FALSE(Concerns("[app.other]\nmatch = [\"ply\", \"game/fly\", \"fly.desktop\", \"flatpak:*y\", \"windows:fly\"]\n"));
  EXPECT_FALSE(Concerns("[app.other]\nmatch = [\"flys\", \"Fly\", \"/opt/fly\"]\npath = \"\"\n"));
}

TEST(PolicyScan, FileThatNamesTheProgram_ConcernsIt) {
  for (const char* text : {"[app.fly]\nuse = \"never\"\n", "[app.\"fly\"]\n", "app.x.match = \"fly\"\n",
                           "[app.x]\nmatch = [ # first\n\"other\",\"f*\"]\n", "[app.\"steam:440\"]\n",
                           "app = {x = {match = [\"/opt/*\"]}}", "[app.x]\nmatch = [\"440\", \"exe:/opt/game/fly\"]\n"}) {
    EXPECT_TRUE(Concerns(text)) << text;
  }
}

// The last byte of a pattern need not be the last one of the name that it matches.
TEST(PolicyScan, PatternWithAnotherEnd_ConcernsTheProgram) {
  ProgramIdentity program;
  program.executable = "/usr/bin/wine64-preloader";
  program.windows = "C:\\Games\\Fly.EXE";
  program.desktop = "org.fly.Fly.desktop";
  program.names = {.application = "Flight", .engine = "Wing"};
  for (const char* pattern : {"windows:fly.exe", "windows:FLY.EXE", "windows:c:/games/fly.exe", "windows:fly.*",
                              "windows:fly.ex?", "org.fly.Fly.desktop", "desktop:org.fly.Fly", "desktop:org.fly.*.desktop",
                              "application:Fl?ght", "engine:W*g", "wine*", "wine64-preloade?"}) {
    EXPECT_TRUE(MayConcern("[app.x]\nmatch = [\"" + std::string(pattern) + "\"]\n", program)) << pattern;
  }
  program.windows = "C:\\Games\\fly.exe";
  EXPECT_TRUE(MayConcern("[app.x]\nmatch = [\"windows:FLY.EXE\"]\n", program));
  program.desktop = "org.fly.Fly";
  EXPECT_TRUE(MayConcern("[app.x]\nmatch = [\"org.fly.Fly.desktop\"]\n", program));
}

TEST(PolicyScan, Defaults_ConcernEveryProgram) {
  EXPECT_TRUE(Concerns("[default]\nuse = \"always\"\n"));
  EXPECT_TRUE(Concerns("default.use = \"always\"\n"));
  EXPECT_TRUE(Concerns("[\"default\"]\n"));
}

TEST(PolicyScan, TextThatIsNotPlain_IsLeftToTheParser) {
  for (const char* text : {"[app.x]\nmatch = [\"\\u0066ly\"]\n", "[app.'x']\n", "[app.x]\nmatch = \"\"\"\nfly\"\"\"\n",
                           "[app.x]\nmatch = \"\"\"f\"\"ly\"\"\"\n", "[app.x]\nmatch = [\"un", "[app.x]\nmatch = [\"un\n",
                           "\xef\xbb\xbf[app.x]\n", "[app.\xc3\xa4]\n"}) {
    EXPECT_TRUE(Concerns(text)) << text;
  }
}

}  // namespace
}  // namespace tandem::config
