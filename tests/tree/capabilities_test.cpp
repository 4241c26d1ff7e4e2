// The table of the co-processing document's capabilities in docs/architecture.md: each test that it names exists.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tree/source_tree.h"

namespace tandem::tree {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "Suite.Name" in backticks, in the last cell of a row.
std::vector<std::string> TestsNamedIn(const std::string& table) {
  static const std::regex kName(R"(`(\w+\.\w+)`)");
  std::vector<std::string> names;
  for (const std::string_view line : LinesOf(table)) {
    if (!line.starts_with("| ") || !line.ends_with(" |")) continue;
    const std::string cell(line.substr(line.rfind(" | ", line.size() - 3) + 3));
    for (std::sregex_iterator at(cell.begin(), cell.end(), kName), end; at != end; ++at) names.push_back((*at)[1]);
  }
  return names;
}

// The named tests that no file of the tree has.
std::vector<std::string> Missing(const std::vector<std::string>& names, const std::vector<SourceFile>& tree) {
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    const std::size_t dot = name.find('.');
    const std::string arguments = "(" + name.substr(0, dot) + ", " + name.substr(dot + 1) + ")";
    const auto has = [&](const SourceFile& file) { return file.text.find(arguments) != std::string::npos; };
    if (std::ranges::none_of(tree, has)) missing.push_back(name);
  }
  return missing;
}

TEST(Capabilities, OfTheDocument_EachHasATest) {
  const std::filesystem::path file = std::filesystem::path(TANDEM_SOURCE_DIR) / "docs/architecture.md";
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto names = TestsNamedIn(text);
  ASSERT_THAT(names, testing::SizeIs(testing::Ge(10u)));
  EXPECT_THAT(Missing(names, ReadSourceTree()), IsEmpty());
}

TEST(Capabilities, TestThatIsNotThere_IsSaid) {
  const auto names = TestsNamedIn("| a `No.Test` | b | `Here.Is` and `Gone.Was` |\n`Not.InARow`\n");
  EXPECT_THAT(names, ElementsAre("Here.Is", "Gone.Was"));
  EXPECT_THAT(Missing(names, {{"a_test.cpp", "TEST_F(Here, Is) {}"}}), ElementsAre("Gone.Was"));
}

}  // namespace
}  // namespace tandem::tree
