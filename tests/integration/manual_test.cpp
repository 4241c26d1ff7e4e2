// The manual: a page for each command, with what the command's help lists.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/process.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLines = 500;  // of a page on a terminal of 80 columns

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The pages of docs/man, such as "tandem-run.1".
std::set<std::string> Pages() {
  std::set<std::string> pages;
  for (const auto& entry : fs::directory_iterator(fs::path(TANDEM_SOURCE_DIR) / "docs/man")) {
    const fs::path name = entry.path().filename();
    pages.insert((name.extension() == ".in" ? name.stem() : name).string());
  }
  return pages;
}

// The place of the text of `page`: the build fills templates, other pages are installed as they are.
fs::path PathOf(const std::string& page) {
  const fs::path source = fs::path(TANDEM_SOURCE_DIR) / "docs/man" / page;
  return fs::exists(source) ? source : fs::path(TANDEM_COMMAND).parent_path() / "documents" / page;
}

std::string PageOf(const std::string& command) { return TextOf(PathOf("tandem-" + command + ".1")); }

std::string HelpOf(std::vector<std::string> command) {
  command.insert(command.begin(), TANDEM_COMMAND);
  command.emplace_back("--help");
  const ProcessResult help = RunProcess(command, {}, 120000);
  EXPECT_EQ(help.exit_code, 0) << help.err;
  return help.out;
}

std::vector<std::string> Found(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern, std::regex::ECMAScript | std::regex::multiline);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex); at != std::sregex_iterator(); ++at) found.push_back((*at)[1]);
  return found;
}

std::vector<std::string> CommandsOf(const std::string& help) {
  const std::size_t list = help.find("\nSubcommands:\n");
  return list == std::string::npos ? std::vector<std::string>() : Found(help.substr(list), "^  ([a-z-]+) ");
}

// The help of `command` and of all commands below it.
std::string WholeHelpOf(const std::vector<std::string>& command) {
  std::string help = HelpOf(command);
  for (const std::string& name : CommandsOf(help)) {
    std::vector<std::string> below = command;
    below.push_back(name);
    help += WholeHelpOf(below);
  }
  return help;
}

// "--output" and "-o", without the help's own. Each has an item of a list in its page.
std::vector<std::string> OptionsOf(const std::string& help) {
  std::vector<std::string> options = Found(help, "^  (?:-[A-Za-z], )?(--[a-z0-9-]+)");
  std::ranges::copy(Found(help, "^  (-[A-Za-z]), --"), std::back_inserter(options));
  std::erase_if(options, [](const std::string& option) { return option == "--help" || option == "-h"; });
  return options;
}

bool HasItem(const std::string& page, const std::string& option) {
  const std::string macro = option.starts_with("--") ? "Fl Fl " + option.substr(2) : "Fl " + option.substr(1);
  return std::regex_search(page, std::regex("^\\.It (.* )?" + macro + "( |$)", std::regex::ECMAScript | std::regex::multiline));
}

TEST(Manual, EachCommandOfTheHelp_HasAPageThatTheFirstPageNames) {
  const std::string first = TextOf(PathOf("tandem.1"));
  const std::vector<std::string> commands = CommandsOf(HelpOf({}));
  ASSERT_GT(commands.size(), 15U);
  for (const std::string& command : commands) {
    EXPECT_TRUE(Pages().contains("tandem-" + command + ".1")) << command;
    EXPECT_NE(first.find("\n.It Xr tandem-" + command + " 1\n"), std::string::npos) << command;
  }
  for (const std::string& option : OptionsOf(HelpOf({}))) EXPECT_TRUE(HasItem(first, option)) << option;
}

TEST(Manual, EachOptionAndExampleOfTheHelp_StandsInTheCommandsPage) {
  const std::vector<std::string> of_run = OptionsOf(HelpOf({"run"}));
  ASSERT_GT(of_run.size(), 18U);
  for (const std::string& command : CommandsOf(HelpOf({}))) {
    const std::string page = PageOf(command);
    const std::string help = WholeHelpOf({command});
    const bool takes_those_of_run = page.find("\n.Op Ar options of run\n") != std::string::npos;
    for (const std::string& option : OptionsOf(help)) {
      const bool elsewhere = takes_those_of_run && std::ranges::find(of_run, option) != of_run.end();
      EXPECT_TRUE(elsewhere || HasItem(page, option)) << command << " " << option;
    }
    for (const std::string& example : Found(help, "^Example: (.*)$")) {
      EXPECT_NE(page.find("\n.Dl " + example + "\n"), std::string::npos) << command << ": " << example;
    }
  }
}

TEST(Manual, EachPage_HasTheUsualSections_AndRefersToPagesThatExist) {
  const std::set<std::string> pages = Pages();
  for (const std::string& page : pages) {
    const std::string text = TextOf(PathOf(page));
    for (const char* const section : {"NAME", "SYNOPSIS", "DESCRIPTION", "SEE ALSO"}) {
      if (page.ends_with(".5") && section == std::string("SYNOPSIS")) continue;
      EXPECT_NE(text.find(std::string("\n.Sh ") + section + "\n"), std::string::npos) << page << " " << section;
    }
    for (std::string other : Found(text, "\\.?Xr (tandem[a-z.-]* [0-9])")) {
      std::ranges::replace(other, ' ', '.');
      EXPECT_TRUE(pages.contains(other)) << page << " refers to " << other;
    }
  }
}

TEST(Manual, EachPage_IsSetWithoutAWarning_AndIsShort) {
  if (RunProcess({"sh", "-c", "command -v groff"}, {}, 5000).exit_code != 0) GTEST_SKIP() << "groff is not installed.";
  for (const std::string& page : Pages()) {
    const ProcessResult set = RunProcess({"groff", "-mandoc", "-ww", "-Tutf8", "-rLL=80n", PathOf(page).string()}, {}, 60000);
    EXPECT_EQ(set.exit_code, 0) << page;
    EXPECT_EQ(set.err, "") << page;
    const auto lines = std::ranges::count(set.out, '\n');
    EXPECT_GT(lines, 10) << page;
    EXPECT_LE(lines, kMostLines) << page;
  }
}

}  // namespace
}  // namespace tandem::test
