// Completion in shells, and the page of `tandem run`, which come from the table of settings.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/integration/process.h"
#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::filesystem::path Documents() { return std::filesystem::path(TANDEM_COMMAND).parent_path() / "documents"; }

// The completions that bash offers for the last of `words`, one per line. The functions of bash-completion are replaced.
std::string OfferedByBash(const std::string& words) {
  const std::string script =
      "_init_completion() { words=(\"${COMP_WORDS[@]}\"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword - 1]}; "
      "split=false; if [[ $cur == --*=* ]]; then prev=${cur%%=*}; cur=${cur#*=}; split=true; fi; }; "
      "__ltrim_colon_completions() { :; }; _filedir() { COMPREPLY=(a-file); }; compopt() { :; }; "
      "_command_offset() { COMPREPLY=(\"program at $1\"); }; source " +
      (Documents() / "tandem.bash").string() + "; COMP_WORDS=(" + words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tandem; printf '%s\\n' \"${COMPREPLY[@]}\"";
  return "\n" + RunProcess({"bash", "-c", script}, {}, 120000).out;
}

// The completions that fish offers for the end of `line`, without their descriptions.
std::string OfferedByFish(const std::string& line) {
  const std::string command = std::filesystem::path(TANDEM_COMMAND).parent_path().string();
  const std::string script = "set -p PATH " + command + "; source " + (Documents() / "tandem.fish").string() + "; complete -C '" +
                             line + "' | string split -f 1 \\t";
  return "\n" + RunProcess({"fish", "--no-config", "-c", script}, {}, 120000).out;
}

TEST(Completion, Bash_OffersValuesBehindAnEqualsSign) {
  EXPECT_EQ(OfferedByBash("tandem run --path=d"), "\ndirect\n");
  EXPECT_EQ(OfferedByBash("tandem run --gl="), "\nauto\non\noff\n");
  EXPECT_TRUE(Has(OfferedByBash("tandem run --gl \"\""), "\n--path\n"));
  EXPECT_TRUE(Has(OfferedByBash("tandem config show --present-mode \"\""), "\nauto\nfifo\n"));
  EXPECT_EQ(OfferedByBash("tandem run --output=r"), "\nraw:\n");
  EXPECT_EQ(OfferedByBash("tandem run --output=raw:f"), "\nraw:a-file\n");
  EXPECT_EQ(OfferedByBash("tandem run --frame-log \"\""), "\na-file\n");
}

TEST(Completion, Bash_LeavesAProgramToItsOwnCompletion) {
  EXPECT_EQ(OfferedByBash("tandem run --gl -- vkc"), "\nprogram at 4\n");
  EXPECT_EQ(OfferedByBash("tandem explain -- vkcube --"), "\nprogram at 3\n");
  EXPECT_EQ(OfferedByBash("tandem vkcube --"), "\nprogram at 1\n");
  EXPECT_TRUE(Has(OfferedByBash("tandem bas"), "\nbash\n"));
  EXPECT_FALSE(Has(OfferedByBash("tandem \"\""), "\nbash\n"));
  EXPECT_TRUE(Has(OfferedByBash("tandem help stat"), "\nstatus\n"));
}

TEST(Completion, Fish_OffersCommandsValuesAndPrograms) {
  if (RunProcess({"sh", "-c", "command -v fish"}, {}, 5000).exit_code != 0) GTEST_SKIP() << "fish is not installed.";
  EXPECT_EQ(OfferedByFish("tandem stat"), "\nstatus\n");
  EXPECT_EQ(OfferedByFish("tandem run --path=di"), "\n--path=direct\n");
  EXPECT_EQ(OfferedByFish("tandem run --gl=a"), "\n--gl=auto\n");
  EXPECT_FALSE(Has(OfferedByFish("tandem run --gl "), "\nauto\n"));
  EXPECT_TRUE(Has(OfferedByFish("tandem run --gl -- bas"), "\nbash\n"));
  EXPECT_TRUE(Has(OfferedByFish("tandem bas"), "\nbash\n"));
}

TEST(Config, EverySetting_StandsInManualAndCompletion) {
  const std::string manual = ReadText(Documents() / "tandem-run.1");
  const std::string zsh = ReadText(Documents() / "_tandem");
  const std::string fish = ReadText(Documents() / "tandem.fish");
  const std::string options = OfferedByBash("tandem run --");
  const auto shown = nlohmann::json::parse(RunProcess({TANDEM_COMMAND, "config", "show", "--json"}, {}, 120000).out);
  ASSERT_GT(shown["settings"].size(), 18U);
  for (const auto& setting : shown["settings"]) {
    if (setting["option"].is_null()) continue;  // `use` stands in the file alone
    const std::string option = setting["option"];
    EXPECT_TRUE(Has(manual, ".It Fl Fl " + option.substr(2) + " ")) << option;
    EXPECT_TRUE(Has(manual, "\n.Ev " + setting["variable"].get<std::string>() + " ,\n")) << option;
    EXPECT_TRUE(Has(zsh, "'" + option + "=")) << option;
    EXPECT_TRUE(Has(fish, " -l " + option.substr(2) + " ")) << option;
    EXPECT_TRUE(Has(options, "\n" + option + "\n")) << option << options;
  }
}

}  // namespace
}  // namespace tandem::test
