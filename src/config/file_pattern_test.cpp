#include "config/file_pattern.h"

#include <string>

#include <gtest/gtest.h>

namespace tandem::config {
namespace {

TEST(FilePattern, Placeholders_BecomeTheProcessAndItsProgram) {
  EXPECT_EQ(FileOfProgram("/a/%e-%p.csv", 42, "vkcube"), "/a/vkcube-42.csv");
  EXPECT_EQ(FileOfProgram("/100%%/%%p%p%e", 7, "%p"), "/100%/%p7%p");
  EXPECT_EQ(FileOfProgram("", 7, "a"), "");
}

TEST(FilePattern, OtherLetter_IsNamedInTheRefusal) {
  for (const char* const pattern : {"a.csv", "%p", "/a/%e.csv", "%%/%p", "%%p/a", "50%%"}) {
    EXPECT_TRUE(CheckFilePattern(pattern).ok()) << pattern;
  }
  const auto letter = CheckFilePattern("a%%%x");
  ASSERT_FALSE(letter.ok());
  EXPECT_EQ(letter.error().message,
            "'%x' in 'a%%%x' is none of %p (process id), %e (file name of the program) and %% (percent sign).");
  EXPECT_FALSE(CheckFilePattern("a%").ok());
  const auto folder = CheckFilePattern("/a/%e/b.csv");
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().message, "'%e' stands in a folder of '/a/%e/b.csv'; it is for the name of the file.");
}

TEST(FilePattern, PercentSignAlone_IsNoPlaceholder) {
  EXPECT_TRUE(HasPlaceholders("%p"));
  EXPECT_TRUE(HasPlaceholders("a%%%e"));
  EXPECT_FALSE(HasPlaceholders("a%%p"));
  EXPECT_FALSE(HasPlaceholders(""));
}

TEST(FilePattern, Glob_MatchesLiteralCharactersAsTheyAre) {
  EXPECT_EQ(GlobOfFiles("/a*[b]/%e-%p%%.csv"), "/a\\*\\[b\\]/*-[0-9]*%.csv");
  EXPECT_EQ(GlobOfFiles("%p?%e", 42), "42\\?*");
}

TEST(FilePattern, RelativePath_StandsInTheFolderWhateverItsName) {
  EXPECT_EQ(PatternIn("/home/50%p", "%p.csv"), "/home/50%%p/%p.csv");
  EXPECT_EQ(FileOfProgram(PatternIn("/home/50%p", "%p.csv"), 3, ""), "/home/50%p/3.csv");
  EXPECT_EQ(PatternIn("/", "a"), "/a");
  EXPECT_EQ(PatternIn("/home", "/tmp/a"), "/tmp/a");
}

}  // namespace
}  // namespace tandem::config
