#include "cli/setting_documents.h"

#include <gtest/gtest.h>

#include "config/setting_table.h"

namespace tandem::cli {
namespace {

std::string EveryOption() {
  std::string text;
  for (const config::Setting& setting : config::SettingTable()) text += "@OPTION " + std::string(setting.key) + "@\n";
  return text;
}

TEST(FillSettings, OptionMark_BecomesAnItemOfTheManual) {
  const auto filled = FillSettings(EveryOption());
  ASSERT_TRUE(filled.ok()) << filled.error().message;
  EXPECT_NE(
      filled->find(
          ".It Fl Fl content Ar KIND\nKind of pictures: game (4:2:0 and BC1 are allowed), desktop or cad (pictures stay exact) "
          "or auto.\nThe default is\n.Li auto ;\nthe variable is\n.Ev TANDEM_CONTENT ,\nthe key of the file\n.Li content .\n"),
      std::string::npos)
      << *filled;
  EXPECT_NE(filled->find(".It Fl Fl stats Ns Op = Ns Ar FLAG\n"), std::string::npos) << *filled;
}

TEST(FillSettings, OptionThatIsMissingOrMisplaced_IsRefused) {
  std::string text = EveryOption();
  const std::size_t path = text.find("@OPTION path@\n");
  text.erase(path, 14);
  EXPECT_EQ(FillSettings(text).error().message, "@OPTION buffers@ is not the setting that follows in the table, path.");
  EXPECT_EQ(FillSettings(text.substr(0, path)).error().message, "@OPTION path@ is missing.");
  EXPECT_EQ(FillSettings(EveryOption() + "@OPTION path@").error().message,
            "@OPTION path@ is not the setting that follows in the table, which has no more.");
}

TEST(FillSettings, OtherText_StaysAsItIs) {
  EXPECT_EQ(FillSettings("a \"$@\" b@c @ @a@ @\n@").value(), "a \"$@\" b@c @ @a@ @\n@");
  EXPECT_EQ(FillSettings("a @SETTING@").error().message, "@SETTING@ is no mark.");
}

TEST(FillSettings, Completion_HasNamesAndValues) {
  EXPECT_EQ(FillSettings("x @ADAPTERS@) y").value(), "x --render | --display) y");
  EXPECT_EQ(FillSettings("@FILES@").value(), "--display-driver | --registry | --stats-json | --frame-log | --trace");
  const std::string bash = FillSettings("@BASH@").value();
  EXPECT_NE(bash.find("    --present-mode) mapfile -t COMPREPLY < <(compgen -W 'auto fifo fifo-relaxed mailbox immediate "
                      "fifo-latest-ready' -- "
                      "\"$cur\"); return ;;\n"),
            std::string::npos)
      << bash;
  EXPECT_EQ(bash.find("--render"), std::string::npos) << bash;
  EXPECT_NE(bash.find("    --stats) if [[ $split == true ]]; then mapfile -t COMPREPLY < <(compgen -W 'on off' -- \"$cur\"); "
                      "return; fi ;;\n"),
            std::string::npos)
      << bash;
  const std::string fish = FillSettings("@FISH@").value();
  for (const char* const line : {"-l render -x -a '(__tandem_selectors)' -d 'Adapter that renders'\n",
                                 "-l gl -f -a 'auto on off' -d 'OpenGL programs by zink, Mesa'\\''s OpenGL over Vulkan'\n",
                                 "-l frame-log -r -F -a 'off' -d 'File that gets a line of comma-separated values"}) {
    EXPECT_NE(fish.find(line), std::string::npos) << line << fish;
  }
  const std::string zsh = FillSettings("@ZSH@").value();
  for (const char* const line :
       {"        '--render=[Adapter that renders]:sel:_tandem_selectors' \\\n",
        "        '--output=[Destination of the frames]:where:_tandem_outputs auto window headless png\\: y4m\\: raw\\:' \\\n",
        "        '--present-mode=[Present mode in place of the program'\\''s own]:mode:(auto ",
        "        '--stats=-[Summary on standard error when the program ends]::flag:(on off)' \\\n"}) {
    EXPECT_NE(zsh.find(line), std::string::npos) << line << zsh;
  }
}

}  // namespace
}  // namespace tandem::cli
