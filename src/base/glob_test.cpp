#include "base/glob.h"

#include <string>

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(MatchesGlob, StarsAndQuestionMarks_StandForCharacters) {
  for (const auto& [pattern, text] : {std::pair{"a", "a"},
                                      {"*", "a"},
                                      {"**", "a"},
                                      {"a*", "a"},
                                      {"*b*", "abc"},
                                      {"a?c", "abc"},
                                      {"?bung", "Übung"},
                                      {"*a*b", "aabab"},
                                      {"???", "日本語"}}) {
    EXPECT_TRUE(MatchesGlob(pattern, text)) << pattern << " " << text;
  }
  for (const auto& [pattern, text] :
       {std::pair{"", "a"}, {"*", ""}, {"a", "b"}, {"a*b", "abc"}, {"a?", "a"}, {"??", "Ü"}, {"A", "a"}}) {
    EXPECT_FALSE(MatchesGlob(pattern, text)) << pattern << " " << text;
  }
}

TEST(MatchesGlob, ManyStarsAndALongText_EndAtOnce) {
  std::string stars;
  for (int i = 0; i < 500; ++i) stars += "*a";
  const std::string text(4000, 'a');
  EXPECT_FALSE(MatchesGlob(stars + "b", text));
  EXPECT_TRUE(MatchesGlob(stars + "*", text));
}

}  // namespace
}  // namespace tandem
