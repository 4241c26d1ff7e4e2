#include "desktop/menu/menu_text.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tandem::desktop {
namespace {

const std::vector<MenuChoice> kOne = {{"Radeon \"780M\"; 50%", "0000:05:00.0"}};
constexpr char kEntry[] = "[Desktop Entry]\nType=Application\nName=Game\nDBusActivatable=true\nExec=game %U\n";

TEST(ChoicesOf_TwoCardsOfOneName, SayTheirSelectors) {
  const std::vector<Gpu> gpus = {{"RTX 4070", "0000:01:00.0", {}}, {"RTX 4070", "0000:02:00.0", {}}, {"A/B", "2", {}}};
  const auto choices = ChoicesOf(gpus);
  EXPECT_EQ(choices[0].name, "RTX 4070 (0000:01:00.0)");
  EXPECT_EQ(choices[1].name, "RTX 4070 (0000:02:00.0)");
  EXPECT_EQ(choices[2].name, "A_B");
}

TEST(Lines_OddWords, AreQuotedForTheirReader) {
  const std::vector<std::string> words = {"/opt/my 100%/tandem", "--render", "a$b`c\"d\\e'f", ""};
  EXPECT_EQ(ExecLine(words), "\"/opt/my 100%%/tandem\" --render \"a\\$b\\`c\\\"d\\\\e'f\" \"\"");
  EXPECT_EQ(ShellLine(words), "'/opt/my 100%/tandem' --render 'a$b`c\"d\\e'\\''f' ''");
  EXPECT_EQ(UcaLine(std::vector<std::string>{"/opt/100%/tandem", "launch"}), "'/opt/100%%/tandem' launch %f");
}

TEST(EntryCopy_EntryForTheBus, IsStartedByItsExecLine) {
  const auto copy = EntryCopy(kEntry, "game.desktop", "/usr/bin/tandem", kOne);
  ASSERT_TRUE(copy.ok()) << copy.error().message;
  EXPECT_EQ(copy->find("DBusActivatable"), std::string::npos) << *copy;
  EXPECT_NE(copy->find("Name=Run on Radeon \"780M\"; 50%\n"), std::string::npos) << *copy;
  EXPECT_NE(copy->find("Exec=/usr/bin/tandem launch --render 0000:05:00.0 -- game.desktop\n"), std::string::npos) << *copy;
  EXPECT_EQ(
      EntryCopy("[Desktop Entry]\nType=Application\nName=Game\nDBusActivatable=true\n", "game.desktop", "t", kOne).error().kind,
      ErrorKind::kUnsupported);
}

TEST(MarkOf_Texts, TellsOursFromOthersAndFromChangedOnes) {
  const std::string copy = *EntryCopy(kEntry, "game.desktop", "tandem", kOne);
  EXPECT_EQ(MarkOf(copy), Mark::kIntact);
  EXPECT_EQ(MarkOf(copy + "\n"), Mark::kChanged);
  EXPECT_EQ(MarkOf(kEntry), Mark::kNone);
  EXPECT_EQ(MarkOf(ServiceMenuText("tandem", kOne)), Mark::kIntact);
  EXPECT_EQ(MarkOf(ScriptText("tandem", kOne[0], Keep::kAlways)), Mark::kIntact);
  EXPECT_EQ(MarkOf("X-Tandem-Menu="), Mark::kChanged);
  EXPECT_FALSE(EntryCopy(copy, "game.desktop", "tandem", kOne).ok());
}

}  // namespace
}  // namespace tandem::desktop
