#include "config/policy/decide.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/setting_table.h"
#include "link/governor/encodings.h"
#include "swapchain/swap_chain.h"

namespace tandem::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ProgramIdentity Game() {
  ProgramIdentity program;
  program.executable = "/opt/game/Game";
  program.steam = "440";
  return program;
}

struct World {
  std::string vendor, administrator, user;
  std::map<std::string, std::string, std::less<>> variables{};

  [[nodiscard]] Decision Of(const ProgramIdentity& program) const {
    const std::vector<PolicyFile> files{ParsePolicyText(vendor, "v", Source::kVendor),
                                        ParsePolicyText(administrator, "a", Source::kAdministrator),
                                        ParsePolicyText(user, "u", Source::kFile)};
    auto decision = Decide(program, files, [this](std::string_view name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::optional<std::string>() : found->second;
    });
    EXPECT_TRUE(decision.ok()) << decision.error().message;
    return decision.ok() ? *std::move(decision) : Decision{};
  }
  // "value at place; lost: reason" for each value of `key`, strongest last.
  [[nodiscard]] std::vector<std::string> Lines(std::string_view key) const {
    std::vector<std::string> lines;
    for (const Candidate& one : Of(Game()).candidates) {
      if (one.key == key)
        lines.push_back(one.text + " at " + PlaceOf(one.origin) + (one.lost.empty() ? "" : "; lost: " + one.lost));
    }
    return lines;
  }
};

TEST(Decide, EachSource_OutweighsTheWeakerOnes) {
  const World world{.vendor = "[app.Game]\npath = \"cpu\"\n",
                    .administrator = "[app.Game]\npath = \"direct\"\n",
                    .user = "[app.Game]\npath = \"two-copy\"\n",
                    .variables = {{"TANDEM_PATH", "one-copy"}}};
  EXPECT_THAT(world.Lines("path"),
              ElementsAre("cpu at v:2, [app.\"Game\"]; lost: the administrator's file outweighs the vendor's file",
                          "direct at a:2, [app.\"Game\"]; lost: the user's file outweighs the administrator's file",
                          "two-copy at u:2, [app.\"Game\"]; lost: TANDEM_PATH outweighs files", "one-copy at TANDEM_PATH"));
  EXPECT_EQ(world.Of(Game()).traced.settings.path, swapchain::PathRequest::kOneCopy);
}

TEST(Decide, TableThatNamesTheProgram_OutweighsEveryDefault) {
  const World world{.vendor = "[app.drawing]\nmatch = [\"steam:4*\"]\ncontent = \"cad\"\n",
                    .administrator = "",
                    .user = "[default]\ncontent = \"game\"\n"};
  EXPECT_THAT(world.Lines("content"),
              ElementsAre("game at u:2, [default]; lost: a table that names the program outweighs [default]",
                          "cad at v:3, [app.\"drawing\"]"));
  EXPECT_EQ(world.Of({}).traced.settings.content, link::ContentKind::kGame);
}

TEST(Decide, TwoTablesOfAFile_TheLaterOneCounts) {
  const World world{.vendor = "",
                    .administrator = "",
                    .user = "[app.\"/opt/*\"]\nuse = \"always\"\n[app.Game]\nuse = \"never\"\n[app.Game2]\nuse = \"always\"\n"};
  EXPECT_THAT(world.Lines("use"), ElementsAre("always at u:2, [app.\"/opt/*\"]; lost: a later table of the file outweighs it",
                                              "never at u:4, [app.\"Game\"]"));
  const Decision decision = world.Of(Game());
  EXPECT_FALSE(decision.served);
  EXPECT_EQ(decision.reason, "u:4, [app.\"Game\"] leaves this program alone (use = \"never\").");
}

TEST(Decide, LockedKey_OutweighsUserEnvironmentAndOption) {
  const World world{.vendor = "",
                    .administrator = "[app.\"*\"]\nrender = \"0\"\nuse = \"never\"\nlock = [\"render\",\n\"use\", \"path\"]\n",
                    .user = "[app.Game]\nrender = \"1\"\nuse = \"always\"\npath = \"cpu\"\n",
                    .variables = {{"TANDEM_RENDER", "2"}}};
  Decision decision = world.Of(Game());
  EXPECT_FALSE(decision.served);
  EXPECT_EQ(decision.traced.settings.render, "0");
  EXPECT_EQ(decision.traced.settings.path, swapchain::PathRequest::kAuto);
  EXPECT_THAT(world.Lines("render"),
              ElementsAre("0 at a:2, [app.\"*\"]", "1 at u:2, [app.\"Game\"]; lost: a:4, [app.\"*\"] locks it",
                          "2 at TANDEM_RENDER; lost: a:4, [app.\"*\"] locks it"));
  ASSERT_EQ(decision.traced.notices.size(), 4U);
  EXPECT_EQ(decision.traced.notices.back(), "render of TANDEM_RENDER is not taken: a:4, [app.\"*\"] locks it.");
  ASSERT_TRUE(Set(decision.traced, *FindSetting("render"), "3", {.source = Source::kOption, .name = "--render"}).ok());
  EXPECT_EQ(decision.traced.settings.render, "0");
  EXPECT_EQ(decision.traced.notices.back(), "render of --render is not taken: a:4, [app.\"*\"] locks it.");
}

TEST(Decide, FaultsOfOthers_AreNoticesAndFailNoProgram) {
  const World world{.vendor = "[x", .administrator = "[app.other]\nspeed = 1\n", .user = "[app.Game]\nuse = \"always\"\n"};
  const Decision decision = world.Of(Game());
  EXPECT_TRUE(decision.served);
  EXPECT_THAT(decision.traced.notices, ElementsAre(HasSubstr("v:1: "), HasSubstr("a:2: [app.\"other\"] has a key 'speed'")));
}

TEST(Decide, Session_ServesWhatIsListedOrLaunched) {
  World world{.vendor = "", .administrator = "", .user = "", .variables = {{kSessionVariable, "1"}, {"TANDEM_ENABLE", "1"}}};
  const Decision alone = world.Of(Game());
  EXPECT_FALSE(alone.served);
  EXPECT_EQ(alone.reason,
            "By default this program is served when tandem run or a launcher starts it, and none did (use = \"when-launched\").");
  world.user = "[app.\"steam:440\"]\nuse = \"always\"\n";
  EXPECT_TRUE(world.Of(Game()).served);
  world.user = "";
  for (const char* const name : {"TANDEM_RENDER", "TANDEM_DISPLAY"}) {
    world.variables[name] = "0";
    EXPECT_TRUE(world.Of(Game()).served) << name;
    world.variables.erase(name);
  }
  world.variables[kSessionVariable] = "0";
  EXPECT_TRUE(world.Of(Game()).served);
}

}  // namespace
}  // namespace tandem::config
