#include "config/policy/policy_edit.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tandem::config {
namespace {

using testing::HasSubstr;

std::string Changed(std::string_view text, const ProgramChoice& choice) {
  const auto changed = WithProgramChoice(text, "f.toml", choice);
  return changed.ok() ? *changed : changed.error().message;
}

TEST(PolicyEdit, ProgramWithoutTable_GetsOneAtTheEnd) {
  EXPECT_EQ(Changed("", {.program = "game"}), "[app.\"game\"]\nuse = \"always\"\n");
  EXPECT_EQ(Changed("[default]\nstats = true", {.program = "/opt/a b/\"x\"", .use = Use::kNever}),
            "[default]\nstats = true\n\n[app.\"/opt/a b/\\\"x\\\"\"]\nuse = \"never\"\n");
  EXPECT_EQ(Changed("# Übung\r\n[default]\r\n", {.program = "steam:440", .render = "0000:01:00.0"}),
            "# Übung\r\n[default]\r\n\r\n[app.\"steam:440\"]\r\nuse = \"always\"\r\nrender = \"0000:01:00.0\"\r\n");
  EXPECT_EQ(Changed("", {.program = "org.example.Game.desktop"}), "[app.\"org.example.Game.desktop\"]\nuse = \"always\"\n");
}

TEST(PolicyEdit, TableThatIsThere_KeepsEveryOtherByte) {
  constexpr std::string_view kFile =
      "# Mine.\n[app.'game']\n  use = \"never\"   # not yet\nrender=\"a # b\" # the # big one\n\n\n[app.b]\npath = 'cpu'";
  EXPECT_EQ(Changed(kFile, {.program = "game", .render = "1"}),
            "# Mine.\n[app.'game']\n  use = \"always\"  # not yet\nrender = \"1\"  # the # big one\n\n\n[app.b]\npath = 'cpu'");
  EXPECT_EQ(Changed(kFile, {.program = "game", .use = Use::kNever}),
            "# Mine.\n[app.'game']\n  use = \"never\"  # not yet\nrender=\"a # b\" # the # big one\n\n\n[app.b]\npath = 'cpu'");
  EXPECT_EQ(Changed("[app.g]\npath = \"cpu\"\n", {.program = "g"}), "[app.g]\nuse = \"always\"\npath = \"cpu\"\n");
}

TEST(PolicyEdit, FileThatCannotBeChanged_IsRefusedInWords) {
  EXPECT_THAT(Changed("[app]\ng = { use = \"never\" }\n", {.program = "g"}), HasSubstr("f.toml writes g in a way"));
  EXPECT_THAT(Changed("app = 1\n", {.program = "g"}), HasSubstr("by hand"));
  EXPECT_THAT(Changed("[app.g]\nuse = \"\"\"\nnever\"\"\"\n", {.program = "g"}), HasSubstr("by hand"));
  EXPECT_THAT(Changed("[app\n", {.program = "g"}), HasSubstr("f.toml:1:"));
  EXPECT_THAT(Changed("", {.program = ""}), HasSubstr("A program's name is empty."));
  EXPECT_THAT(Changed("", {.program = "a\nb"}), HasSubstr("control character"));
  EXPECT_THAT(Changed("", {.program = "a\xff"}), HasSubstr("UTF-8"));
  EXPECT_THAT(Changed("", {.program = "g", .render = "a\tb"}), HasSubstr("render: The value has a control character"));
  EXPECT_THAT(Changed(std::string(70'000, '#'), {.program = "g"}), HasSubstr("more than 65536 bytes"));
}

TEST(PolicyEdit, AllowThenDeny_ReplaceTheUsersFileAndKeepItsMode) {
  const auto folder = std::filesystem::temp_directory_path() / ("tandem-policy-edit-" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
  const auto path = AllowProgram("game", "soft");
  ASSERT_TRUE(path.ok()) << path.error().message;
  EXPECT_EQ(*path, (folder / "tandem/tandem.toml").string());
  ASSERT_EQ(chmod(path->c_str(), 0600), 0);
  ASSERT_TRUE(DenyProgram("game").ok());
  std::ostringstream text;
  text << std::ifstream(*path).rdbuf();
  EXPECT_EQ(text.str(), "[app.\"game\"]\nuse = \"never\"\nrender = \"soft\"\n");
  EXPECT_EQ(std::filesystem::status(*path).permissions(), std::filesystem::perms(0600));
  unsetenv("XDG_CONFIG_HOME");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tandem::config
