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
  EXPECT_FALSE(Concerns("[app.other]\nmatch = [\"flys\", \"Fly\", \"/opt/fly\"]\npath = \"\"\n"));
}

TEST(PolicyScan, FileThatNamesTheProgram_ConcernsIt) {
  for (const char* text : {"[app.fly]\nuse = \"never\"\n", "[app.\"fly\"]\n", "app.x.match = \"fly\"\n",
                           "[app.x]\nmatch = [ # first\n\"other\",\"f*\"]\n", "[app.\"steam:440\"]\n",
                           "app = {x = {match = [\"/opt/*\"]}}", "[app.x]\nmatch = [\"440\", \"exe:/opt/game/fly\"]\n"}) {
    EXPECT_TRUE(Concerns(text)) << text;
  }
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
