#include "tests/tree/file_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::tree {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// Fails once for each violation in the tree.
template <class Rule>
void ExpectKept(Rule rule) {
  const auto tree = ReadSourceTree();
  ASSERT_FALSE(tree.empty());
  for (const SourceFile& file : tree) {
    for (const std::string& sentence : rule(file)) ADD_FAILURE() << sentence;
  }
}

SourceFile File(std::string path, std::string text) { return {std::move(path), std::move(text)}; }

std::string Lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "\n";
  return text;
}

TEST(FileRules, Tree_HasNoLongFile) { ExpectKept(LongFile); }
TEST(FileRules, Tree_HasNoClimbingInclude) { ExpectKept(ClimbingIncludes); }
TEST(FileRules, Tree_HasGuardInEachHeader) { ExpectKept(MissingGuard); }
TEST(FileRules, Tree_HasNoNoteWithoutReason) { ExpectKept(UnreasonedNotes); }
TEST(FileRules, Tree_TakesTimeFromTheClock) { ExpectKept(StrayTime); }
TEST(FileRules, Tree_WaitsByItsOwnCondition) { ExpectKept(StrayCondition); }
TEST(FileRules, Tree_IncludesOwnHeaderFirst) {
  const auto tree = ReadSourceTree();
  ExpectKept([&](const SourceFile& file) { return HeaderNotFirst(file, tree); });
}

TEST(LongFile, EightHundredLines_AreTheLimit) {
  EXPECT_THAT(LongFile(File("src/a.cpp", Lines(800))), IsEmpty());
  EXPECT_THAT(LongFile(File("src/a.cpp", Lines(801))), testing::ElementsAre("src/a.cpp has 801 lines; the limit is 800."));
}

TEST(ClimbingIncludes, DotDot_IsFoundAnywhere) {
  EXPECT_THAT(ClimbingIncludes(File("src/a.cpp", "#include \"../b.h\"\n#include \"c/../b.h\"\n")), SizeIs(2));
  EXPECT_THAT(ClimbingIncludes(File("src/a.cpp", "#include \"c/b.h\"\n")), IsEmpty());
}

TEST(MissingGuard, HeaderWithoutPragma_IsSaid) {
  EXPECT_THAT(MissingGuard(File("src/a.h", "int a;\n")), SizeIs(1));
  EXPECT_THAT(MissingGuard(File("src/a.h", "#pragma once\nint a;\n")), IsEmpty());
  EXPECT_THAT(MissingGuard(File("src/a-inl.h", "int a;\n")), IsEmpty());
  EXPECT_THAT(MissingGuard(File("src/a.cpp", "int a;\n")), IsEmpty());
}

TEST(UnreasonedNotes, NoteWithReason_IsKept) {
  EXPECT_THAT(UnreasonedNotes(File("src/a.cpp",
                                   "/"
                                   "/ TODO: drop when Debian brings Highway 1.1\n")),
              IsEmpty());
  EXPECT_THAT(UnreasonedNotes(File("src/a.cpp",
                                   "/"
                                   "/ TODO: later\n")),
              SizeIs(1));
  EXPECT_THAT(UnreasonedNotes(File("src/a.cpp",
                                   "int a;  /"
                                   "/ TODO\n")),
              SizeIs(1));
  EXPECT_THAT(UnreasonedNotes(File("src/a.cpp",
                                   "/"
                                   "/ FIXME: this one has a long reason too\n")),
              SizeIs(1));
  EXPECT_THAT(UnreasonedNotes(File("src/a.cpp", "int TODO;\n")), IsEmpty());
}

TEST(StrayTime, OutsideTheClock_IsSaid) {
  const std::string text = "auto t = std::chrono::steady_clock::now();\n";
  EXPECT_THAT(StrayTime(File("src/kernel/a.cpp", text)), SizeIs(1));
  EXPECT_THAT(StrayTime(File("src/base/clock.cpp", text)), IsEmpty());
  EXPECT_THAT(StrayTime(File("src/kernel/a_test.cpp", text)), IsEmpty());
}

TEST(StrayCondition, OfTheCLibrary_IsSaid) {
  EXPECT_THAT(StrayCondition(File("src/kernel/a.h", "#include <condition_variable>\n")), SizeIs(1));
  EXPECT_THAT(StrayCondition(File("src/kernel/a.cpp", "pthread_cond_wait(&condition, &mutex);\n")), SizeIs(1));
  EXPECT_THAT(StrayCondition(File("src/kernel/a_test.cpp", "#include <condition_variable>\n")), IsEmpty());
  EXPECT_THAT(StrayCondition(File("src/kernel/testing/a.h", "#include <condition_variable>\n")), IsEmpty());
  EXPECT_THAT(StrayCondition(File("src/kernel/a.cpp", "#include \"base/condition.h\"\n")), IsEmpty());
}

TEST(HeaderNotFirst, OtherHeaderFirst_IsSaid) {
  const std::vector<SourceFile> tree = {File("src/base/a.cpp", ""), File("src/base/a.h", "")};
  EXPECT_THAT(HeaderNotFirst(File("src/base/a.cpp", "#include <vector>\n#include \"base/a.h\"\n"), tree), SizeIs(1));
  EXPECT_THAT(HeaderNotFirst(File("src/base/a.cpp", "#include \"base/a.h\"\n"), tree), IsEmpty());
  EXPECT_THAT(HeaderNotFirst(File("src/base/b.cpp", "#include <vector>\n"), tree), IsEmpty());
}

}  // namespace
}  // namespace tandem::tree
