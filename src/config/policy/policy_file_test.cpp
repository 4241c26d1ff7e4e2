#include "config/policy/policy_file.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/config_file.h"

namespace tandem::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string FirstFault(std::string_view text) {
  const PolicyFile file = ParsePolicyText(text, "f", Source::kFile);
  return file.faults.empty() ? "no fault" : file.faults.front().Text();
}

TEST(PolicyFile, BadTable_GivesFileLineValueAndWhatIsAllowed) {
  const std::pair<std::string, std::string> cases[] = {
      {"[default]\npath = \"x\"", "f:2: path: Path 'x' is not one of auto, direct, one-copy, two-copy, cpu, compressed."},
      {"[default]\nstats = 1", "f:2: stats is not true or false."},
      {"[default]\nstats = \"perhaps\"", "f:2: stats: 'perhaps' is not one of 1, true, yes, on, 0, false, no, off."},
      {"[default]\nrender = \"\"", "f:2: render: The value is empty."},
      {"[default]\npath = 1", "f:2: path is not a text in quotes."},
      {"[default]\nrender = 1.5", "f:2: render is not a text in quotes or a whole number."},
      {"[default]\nuse = \"\"", "f:2: use: The value is empty."},
      {"[default]\nuse = true", "f:2: use is not a text in quotes."},
      {"render = 1", "f:1: 'render' is not one of the tables [default], [app.\"name\"], [adapter.\"selector\"]."},
      {"app = 1", "f:1: 'app' is not one of the tables [default], [app.\"name\"], [adapter.\"selector\"]."},
      {"[app]\ngame = 1", "f:2: app.game is not a table; write [app.\"game\"]."},
      {"[app.\"\"]\nuse = \"never\"", "f:1: A program's name is empty."},
      {"[app.\"game\"]\nstats = 3", "f:2: stats is not true or false."},
      {"[default]\noutput = \"png:\"", "f:2: output: Output 'png:' names no file."},
      {"[default]\nrender = \"a\\nb\"", "f:2: render: The value has a control character in it."},
      {"[app.g]\nmatch = []", "f:2: match is not an array of 1 to 64 texts in quotes."},
      {"[app.g]\nmatch = [\"a\", 3]", "f:2: match is not an array of 1 to 64 texts in quotes."},
      {"[app.g]\nmatch = [\"a\",\n \"steam:\"]", "f:3: match: A program's name is empty."},
      {"[app.g]\nlock = [\"use\"]", "f:2: lock counts in the administrator's files alone."},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(FirstFault(text), message);
  EXPECT_THAT(FirstFault("[default]\n\nspeed = 1"),
              HasSubstr("f:3: [default] has a key 'speed', which is not one of match, lock, use, render, display"));
  EXPECT_THAT(FirstFault("[default]\nmatch = [\"a\"]"), HasSubstr("f:2: [default] has a key 'match'"));
}

TEST(PolicyFile, FaultOfATable_LeavesTheOthers) {
  const PolicyFile file = ParsePolicyText(
      "x = 1\n[app.b]\nuse = \"always\"\nspeed = 2\n[app.c]\nuse = \"never\"\n[app.a]\nmatch = [\"Übung\"]\nrender = "
      "2\n[other]\n",
      "f", Source::kFile);
  ASSERT_EQ(file.tables.size(), 2U);
  EXPECT_EQ(file.tables[0].name, "app.\"c\"");  // as they stand in the file
  EXPECT_EQ(file.tables[0].match.front().text, "c");
  EXPECT_EQ(file.tables[1].match.front().text, "Übung");
  EXPECT_EQ(file.tables[1].lines.front().text, "2");
  EXPECT_EQ(file.tables[1].lines.front().line, 9U);
  std::vector<std::uint32_t> lines;
  for (const PolicyFault& fault : file.faults) lines.push_back(fault.line);
  EXPECT_THAT(lines, ElementsAre(1, 4, 10));
}

TEST(PolicyFile, NoToml_IsOneFaultWithItsLine) {
  EXPECT_THAT(FirstFault("[default]\npath = \"direct"), HasSubstr("f:2: "));
  EXPECT_THAT(FirstFault("[default]\n[de\xef\xb8\xbflt]\n"), HasSubstr("f:2: "));
  EXPECT_EQ(FirstFault(std::string(kMaxConfigBytes + 1, ' ')), "f has more than 65536 bytes.");
  EXPECT_THAT(FirstFault(std::string(30000, '[')), HasSubstr("f:1"));
  EXPECT_THAT(FirstFault(std::string("a\0b", 3)), HasSubstr("f:1"));
}

TEST(PolicyFile, VendorsList_HasNoFaultAndNamesWhatItShould) {
  const auto text = std::filesystem::path(__FILE__).parent_path() / "tandem.toml";
  std::ifstream stream(text);
  const std::string content{std::istreambuf_iterator<char>(stream), {}};
  const PolicyFile file = ParsePolicyText(content, "tandem.toml", Source::kVendor);
  EXPECT_TRUE(file.faults.empty()) << file.faults.front().Text();
  ASSERT_EQ(file.tables.size(), 2U);
  EXPECT_EQ(file.tables[0].lines.front().text, "cad");
  EXPECT_EQ(file.tables[1].lines.front().text, "never");
}

}  // namespace
}  // namespace tandem::config
