#include "cli/config_show.h"

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "config/policy/decide.h"
#include "config/setting_table.h"

namespace tandem::cli {
namespace {

// `tandem config show ARGUMENTS` with this file and, before the options, TANDEM_ENCODE=no-bc1.
ConfigShowCommand Shown(std::vector<const char*> arguments, std::string_view file) {
  arguments.insert(arguments.begin(), {"tandem", "config", "show"});
  const auto defaults = [&](std::string_view program) -> Result<config::TracedSettings> {
    const std::vector<config::PolicyFile> files{
        config::ParsePolicyText("[default]\npath = \"direct\"\n[app.game]\nyuv = \"bt601\"\n", "v.toml", config::Source::kVendor),
        config::ParsePolicyText("[default]\nrender = \"0\"\nlock = \"render\"\n", "a.toml", config::Source::kAdministrator),
        config::ParsePolicyText(file, "f.toml", config::Source::kFile)};
    const auto decision =
        config::Decide(*config::IdentifyText(program), files, [](std::string_view name) -> std::optional<std::string> {
          return name == "TANDEM_ENCODE" ? std::optional<std::string>("no-bc1") : std::nullopt;
        });
    if (!decision.ok()) return decision.error();
    return decision->traced;
  };
  const Command command = ParseCommandLine(static_cast<int>(arguments.size()), arguments.data(), defaults);
  const auto* show = std::get_if<ConfigShowCommand>(&command);
  EXPECT_NE(show, nullptr);
  return show != nullptr ? *show : ConfigShowCommand{};
}

constexpr std::string_view kFile =
    "[default]\npath = \"cpu\"\nencode = \"off\"\n[app.game]\ncontent = \"desktop\"\nuse = \"never\"\n";

TEST(ConfigShow, EachOrigin_StandsBesideTheValue) {
  const std::string text = ConfigTable(Shown({"--stats", "--render", "1", "game"}, kFile), std::nullopt, {.width = 100});
  for (const char* const line :
       {"Program: game\n", "use               never               line 6, [app.\"game\"]\n",
        "render            0                   a.toml:2, [default] (locked)\n",
        "yuv               bt601,full,nearest  v.toml:4, [app.\"game\"]\n", "display           auto                default\n",
        "path              cpu                 line 2, [default]\n",
        "content           desktop             line 5, [app.\"game\"]\n", "encode            no-bc1              TANDEM_ENCODE\n",
        "stats             on                  --stats\n",
        "Note:    render of --render is not taken: a.toml:3, [default] locks it.\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST(ConfigShow, Json_HasARowForEachSetting) {
  const auto json = nlohmann::json::parse(ConfigJson(Shown({"--json", "--", "game", "-x"}, kFile), "/nowhere/tandem.toml"));
  EXPECT_EQ(json["program"], "game");
  EXPECT_EQ(json["file"], "/nowhere/tandem.toml");
  EXPECT_EQ(json["file_exists"], false);
  ASSERT_EQ(json["settings"].size(), config::SettingTable().size() + 1);
  const auto row = [&](std::string_view key) {
    for (const auto& one : json["settings"]) {
      if (one["key"] == key) return one;
    }
    return nlohmann::json();
  };
  EXPECT_EQ(row("path"), nlohmann::json::parse(R"({"key": "path", "option": "--path", "variable": "TANDEM_PATH", "value": "cpu",
      "default": "auto", "origin": "file", "file": "f.toml", "line": 2, "table": "default", "locked": false})"));
  EXPECT_EQ(row("encode")["origin"], "environment");
  EXPECT_EQ(row("yuv"), nlohmann::json::parse(R"({"key": "yuv", "option": "--yuv", "variable": "TANDEM_YUV",
      "value": "bt601,full,nearest", "default": "bt709,full,nearest", "origin": "vendor", "file": "v.toml", "line": 4,
      "table": "app.\"game\"", "locked": false})"));
  EXPECT_EQ(row("use")["value"], "never");
  EXPECT_EQ(row("use")["option"], nullptr);
}

TEST(ConfigShow, NarrowTerminal_HasTheOriginBelow) {
  const std::string text = ConfigTable(Shown({"game"}, kFile), "/home/somebody/.config/tandem/tandem.toml", {.width = 40});
  EXPECT_NE(text.find("content           desktop\n                  line 5, [app.\"game\"]\n"), std::string::npos) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.size() <= 40 || line.find("tandem.toml") != line.npos || line.find("(locked)") != line.npos) << line;
}

TEST(ConfigShow, WrongValue_IsRefusedWithItsOption) {
  const std::vector<const char*> arguments{"tandem", "config", "show", "--path", "x"};
  const Command command =
      ParseCommandLine(static_cast<int>(arguments.size()), arguments.data(),
                       [](std::string_view) -> Result<config::TracedSettings> { return config::TracedSettings{}; });
  ASSERT_TRUE(std::holds_alternative<PrintCommand>(command));
  EXPECT_EQ(std::get<PrintCommand>(command).text,
            "tandem config show: --path: Path 'x' is not one of auto, direct, one-copy, two-copy, cpu, compressed.\n");
}

}  // namespace
}  // namespace tandem::cli
