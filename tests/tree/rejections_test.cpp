// docs/rejections.md has a row with evidence for each rule of src/kernel/adapter/rejections.h, and each has a driver that breaks
// it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
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

std::string ReadFile(const char* path) {
  std::ifstream stream(std::filesystem::path(TANDEM_SOURCE_DIR) / path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Cells of the rows whose first one is a name in backticks.
std::vector<std::vector<std::string>> RowsOf(const std::string& document) {
  static const std::regex kRow(R"(^\| `([\w.]+)` \| (.+) \|$)");
  std::vector<std::vector<std::string>> rows;
  for (const std::string_view view : LinesOf(document)) {
    const std::string line(view);
    std::smatch match;
    if (!std::regex_match(line, match, kRow)) continue;
    std::vector<std::string> cells{match[1]};
    std::string rest = match[2];
    for (std::size_t bar; (bar = rest.find(" | ")) != std::string::npos; rest = rest.substr(bar + 3)) {
      cells.push_back(rest.substr(0, bar));
    }
    cells.push_back(rest);
    rows.push_back(cells);
  }
  return rows;
}

// Constant to name.
std::map<std::string, std::string> RulesOf(const std::string& header) {
  static const std::regex kRule(R"rx(char (k\w+)\[\] = "([\w.]+)")rx");
  std::map<std::string, std::string> rules;
  for (std::sregex_iterator at(header.begin(), header.end(), kRule), end; at != end; ++at) rules.emplace((*at)[1], (*at)[2]);
  return rules;
}

// The rules that no test names.
std::vector<std::string> Untested(const std::map<std::string, std::string>& rules, const std::vector<SourceFile>& tree) {
  std::vector<std::string> untested;
  for (const auto& [constant, name] : rules) {
    const auto names = [&](const SourceFile& file) {
      return file.path.ends_with("_test.cpp") && file.text.find("rules::" + constant) != std::string::npos;
    };
    if (std::ranges::none_of(tree, names)) untested.push_back(name);
  }
  return untested;
}

TEST(Rejections, Document_HasExactlyTheRules_WithEvidence) {
  std::vector<std::string> documented, due;
  for (const std::vector<std::string>& row : RowsOf(ReadFile("docs/rejections.md"))) {
    ASSERT_EQ(row.size(), 5u) << row[0];
    documented.push_back(row[0]);
    EXPECT_TRUE(std::regex_search(row[3], std::regex("^(ddi|display|0x119|mali|amdgpu|helios|gunyah)\\b"))) << row[3];
  }
  for (const auto& [constant, name] : RulesOf(ReadFile("src/kernel/adapter/rejections.h"))) due.push_back(name);
  EXPECT_THAT(due, testing::SizeIs(testing::Ge(20u)));
  EXPECT_THAT(documented, testing::UnorderedElementsAreArray(due));
}

TEST(Rejections, EveryRule_IsBrokenByATest) {
  EXPECT_THAT(Untested(RulesOf(ReadFile("src/kernel/adapter/rejections.h")), ReadSourceTree()), IsEmpty());
}

TEST(Rejections, RuleThatNoTestBreaks_IsSaid) {
  const auto rules = RulesOf("char kOne[] = \"One.Rule\";\nchar kOther[] = \"Other\";\n");
  EXPECT_THAT(Untested(rules, {{"a_test.cpp", "rules::kOne"}, {"b.cpp", "Other"}}), ElementsAre("Other"));
}

}  // namespace
}  // namespace tandem::tree
