#include "cli/command_line.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/examples.h"
#include "cli/exit_codes.h"
#include "link/governor/encodings.h"
#include "swapchain/swap_chain.h"

namespace tandem::cli {
namespace {

Command Parse(std::vector<const char*> arguments, const config::TracedSettings& defaults = {}) {
  arguments.insert(arguments.begin(), "tandem");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data(),
                          [&](std::string_view) -> Result<config::TracedSettings> { return defaults; });
}

TEST(VersionFlag, Verbose_NamesLibrariesDriversOutputsAndProtocols) {
  for (const auto& flags : {std::vector{"--version", "--verbose"}, std::vector{"--verbose", "-v"}}) {
    const Command command = Parse(flags);
    const auto* print = std::get_if<PrintCommand>(&command);
    ASSERT_NE(print, nullptr);
    EXPECT_EQ(print->exit_code, kExitOk);
    for (const char* part : {"tandem ", "fmt ", "vulkan", "wayland", "presentation-time", "linux-dmabuf", "left out"}) {
      EXPECT_NE(print->text.find(part), std::string::npos) << part << " is not in\n" << print->text;
    }
  }
  const Command alone = Parse({"--verbose"});
  EXPECT_EQ(std::get<PrintCommand>(alone).exit_code, kExitUsage);
}

TEST(Help, Example_IsTheCommandsOwn_AndIsUnderstood) {
  for (const Example& example : Examples()) {
    SCOPED_TRACE(example.line);
    EXPECT_TRUE(example.line.starts_with("tandem " + std::string(example.command)));
    std::vector<std::string> words;
    std::istringstream line{std::string(example.line)};
    for (std::string word; line >> word;) words.push_back(word);
    std::vector<const char*> arguments;
    for (std::size_t i = 1; i < words.size(); ++i) arguments.push_back(words[i].c_str());
    const Command command = Parse(arguments);
    const auto* const print = std::get_if<PrintCommand>(&command);
    EXPECT_EQ(print, nullptr) << print->text;
    words = {};
    std::istringstream names{std::string(example.command)};
    for (std::string word; names >> word;) words.push_back(word);
    words.push_back("--help");
    arguments.clear();
    for (const std::string& word : words) arguments.push_back(word.c_str());
    const Command help = Parse(arguments);
    const std::string& text = std::get<PrintCommand>(help).text;
    EXPECT_NE(text.find("Example: " + std::string(example.line.substr(0, 30))), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("The manual: man tandem" + (words.size() == 1 ? "" : "-" + words.front()) + "\n")) << text;
  }
}

TEST(CommandLine, DriverBuild_FolderBehindAnInclude_IsTheDrivers) {
  const Command command = Parse({"driver", "build", "-I", "first", "-I", "second", "-D", "A=1", "driver", "library"});
  const auto* const build = std::get_if<DriverBuildCommand>(&command);
  ASSERT_NE(build, nullptr);
  EXPECT_EQ(build->includes, (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(build->definitions, std::vector<std::string>{"A=1"});
  EXPECT_EQ(build->places, (std::vector<std::string>{"driver", "library"}));
}

TEST(CommandLine, Run_ProgramWithItsOwnOptions_AreLeftToTheProgram) {
  const Command command = Parse({"run", "--stats", "--", "vkcube", "--c", "3", "--stats-json", "x"});
  const auto* run = std::get_if<RunCommand>(&command);
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->program, (std::vector<std::string>{"vkcube", "--c", "3", "--stats-json", "x"}));
  EXPECT_TRUE(run->traced.settings.stats);
  EXPECT_TRUE(run->traced.settings.enabled);
  EXPECT_EQ(run->traced.settings.stats_json, "");
}

TEST(CommandLine, Run_AllOptions_StandInTheSettings) {
  const Command command = Parse({"run", "--render", "llvm", "--display=soft", "--output", "png:a.png", "--path", "one-copy",
                                 "--present-mode", "mailbox", "--stats-json", "s.json", "--frame-log", "f.csv", "--", "app"});
  const auto* run = std::get_if<RunCommand>(&command);
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->traced.settings.render, "llvm");
  EXPECT_EQ(run->traced.settings.display, "soft");
  EXPECT_EQ(run->traced.settings.output.kind, config::OutputSpec::Kind::kPng);
  EXPECT_EQ(run->traced.settings.output.path, "a.png");
  EXPECT_EQ(run->traced.settings.path, swapchain::PathRequest::kOneCopy);
  EXPECT_EQ(run->traced.settings.present_mode, swapchain::PresentMode::kMailbox);
  EXPECT_EQ(run->traced.settings.stats_json, "s.json");
  EXPECT_EQ(run->traced.settings.frame_log, "f.csv");
}

TEST(CommandLine, Run_OptionNotTyped_KeepsTheDefault) {
  config::TracedSettings defaults;
  defaults.settings.render = "from-the-file";
  const Command command = Parse({"run", "--", "app"}, defaults);
  ASSERT_TRUE(std::holds_alternative<RunCommand>(command));
  EXPECT_EQ(std::get<RunCommand>(command).traced.settings.render, "from-the-file");
}

TEST(CommandLine, Run_DefaultsAreThoseOfTheProgram) {
  const std::vector<const char*> arguments{"tandem", "run", "--", "/usr/games/game", "--path"};
  std::string asked;
  const Command command = ParseCommandLine(static_cast<int>(arguments.size()), arguments.data(),
                                           [&](std::string_view program) -> Result<config::TracedSettings> {
                                             asked = program;
                                             return Fail(ErrorKind::kInvalidArgument, "The file is wrong.");
                                           });
  EXPECT_EQ(asked, "/usr/games/game");
  ASSERT_TRUE(std::holds_alternative<PrintCommand>(command));
  EXPECT_EQ(std::get<PrintCommand>(command).text, "tandem run: The file is wrong.\n");
}

TEST(CommandLine, Policy_EachAction_HasItsArguments) {
  const auto policy = [](std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "policy");
    const Command command = Parse(arguments);
    const auto* const parsed = std::get_if<PolicyCommand>(&command);
    return parsed != nullptr ? std::optional(*parsed) : std::nullopt;
  };
  EXPECT_EQ(policy({"list", "--json"})->format, ListFormat::kJson);
  EXPECT_EQ(policy({"check", "a", "b"})->files, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(policy({"allow", "game", "--render", "1"})->render, "1");
  EXPECT_EQ(policy({"deny", "steam:440"})->program, "steam:440");
  EXPECT_EQ(policy({"explain", "--pid", "12"})->pid, 12);
  EXPECT_EQ(policy({"explain"})->action, PolicyAction::kExplain);
  for (const std::vector<const char*>& wrong : std::vector<std::vector<const char*>>{{},
                                                                                     {"allow"},
                                                                                     {"deny"},
                                                                                     {"deny", "game", "--render", "1"},
                                                                                     {"explain", "game", "--pid", "1"},
                                                                                     {"explain", "--pid", "-1"}}) {
    EXPECT_FALSE(policy(wrong));
  }
}

TEST(CommandLine, Run_UnknownPath_SaysTheValue) {
  const Command command = Parse({"run", "--path", "shortest", "--", "app"});
  const auto* print = std::get_if<PrintCommand>(&command);
  ASSERT_NE(print, nullptr);
  EXPECT_EQ(print->exit_code, kExitUsage);
  EXPECT_NE(print->text.find("shortest"), std::string::npos) << print->text;
  EXPECT_NE(print->text.find("one-copy"), std::string::npos) << print->text;
}

TEST(CommandLine, Run_Yuv_StandsInTheSettingsOrIsRefusedByItsWord) {
  const Command command = Parse({"run", "--yuv", "bt601,limited", "--", "app"});
  ASSERT_TRUE(std::holds_alternative<RunCommand>(command));
  EXPECT_EQ(std::get<RunCommand>(command).traced.settings.yuv, *link::ParseYuv("bt601,limited,nearest"));
  const Command wrong = Parse({"run", "--yuv", "bt601,pal", "--", "app"});
  ASSERT_TRUE(std::holds_alternative<PrintCommand>(wrong));
  EXPECT_EQ(std::get<PrintCommand>(wrong).exit_code, kExitUsage);
  EXPECT_NE(std::get<PrintCommand>(wrong).text.find("--yuv: 4:2:0 'bt601,pal': 'pal'"), std::string::npos);
}

TEST(CommandLine, Run_FrameBytes_StandInTheSettingsOrAreRefused) {
  const Command command = Parse({"run", "--frame-bytes", "2MB", "--", "app"});
  ASSERT_TRUE(std::holds_alternative<RunCommand>(command));
  EXPECT_EQ(std::get<RunCommand>(command).traced.settings.frame_bytes, 2'000'000U);
  const Command wrong = Parse({"run", "--frame-bytes", "2", "--", "app"});
  ASSERT_TRUE(std::holds_alternative<PrintCommand>(wrong));
  EXPECT_NE(std::get<PrintCommand>(wrong).text.find("--frame-bytes: Frame bytes '2' are not off or a size"), std::string::npos);
}

TEST(CommandLine, Run_EmptyValues_AreMistakes) {
  for (const char* option : {"--encode", "--link-limit", "--path", "--render", "--output", "--stats-json", "--frame-log"}) {
    const Command command = Parse({"run", option, "", "--", "app"});
    const auto* print = std::get_if<PrintCommand>(&command);
    ASSERT_NE(print, nullptr) << option;
    EXPECT_EQ(print->exit_code, kExitUsage);
    EXPECT_NE(print->text.find(std::string(option) + ": The value is empty."), std::string::npos) << print->text;
  }
  const Command command = Parse({"run", "--stats", "--", "app", ""});
  ASSERT_TRUE(std::holds_alternative<RunCommand>(command));
  EXPECT_EQ(std::get<RunCommand>(command).program, (std::vector<std::string>{"app", ""}));
}

TEST(CommandLine, Run_WithoutProgram_IsAMistake) {
  const Command command = Parse({"run", "--stats"});
  ASSERT_TRUE(std::holds_alternative<PrintCommand>(command));
  EXPECT_EQ(std::get<PrintCommand>(command).exit_code, kExitUsage);
}

TEST(CommandLine, Nothing_IsAMistakeThatShowsTheWay) {
  const Command command = Parse({});
  ASSERT_TRUE(std::holds_alternative<PrintCommand>(command));
  EXPECT_EQ(std::get<PrintCommand>(command).exit_code, kExitUsage);
  EXPECT_NE(std::get<PrintCommand>(command).text.find("--help"), std::string::npos);
}

TEST(CommandLine, Help_NamesBothSubcommands) {
  const Command command = Parse({"--help"});
  const auto* print = std::get_if<PrintCommand>(&command);
  ASSERT_NE(print, nullptr);
  EXPECT_EQ(print->exit_code, kExitOk);
  EXPECT_NE(print->text.find("run"), std::string::npos);
  EXPECT_NE(print->text.find("adapters"), std::string::npos);
}

TEST(CommandLine, Adapters_Json) {
  const Command command = Parse({"adapters", "--json"});
  ASSERT_TRUE(std::holds_alternative<AdaptersCommand>(command));
  EXPECT_EQ(std::get<AdaptersCommand>(command).format, ListFormat::kJson);
  EXPECT_FALSE(std::get<AdaptersCommand>(command).links);
  EXPECT_TRUE(std::get<AdaptersCommand>(Parse({"adapters", "--links"})).links);
  EXPECT_EQ(std::get<AdaptersCommand>(command).devices, ListedDevices::kAwake);
  EXPECT_EQ(std::get<AdaptersCommand>(Parse({"adapters", "--cached"})).devices, ListedDevices::kCached);
  EXPECT_EQ(std::get<AdaptersCommand>(Parse({"adapters", "--wake"})).devices, ListedDevices::kAll);
  EXPECT_NE(std::get<PrintCommand>(Parse({"adapters", "--wake", "--cached"})).exit_code, 0);
  EXPECT_NE(std::get<PrintCommand>(Parse({"adapters", "--links", "--cached"})).exit_code, 0);
}

TEST(CommandLine, Features_EachAction_IsParsed) {
  const std::pair<const char*, FeatureAction> actions[] = {
      {"list", FeatureAction::kList}, {"config", FeatureAction::kConfig}, {"state", FeatureAction::kState}};
  for (const auto& [name, action] : actions) {
    const Command command = Parse({"features", name, "--adapter", "soft", "--json"});
    const auto* features = std::get_if<FeaturesCommand>(&command);
    ASSERT_NE(features, nullptr) << name;
    EXPECT_EQ(features->action, action);
    EXPECT_EQ(features->adapter, "soft");
    EXPECT_EQ(features->format, ListFormat::kJson);
  }
}

TEST(CommandLine, Features_SetAndUnset_TakeTheirValues) {
  const Command set = Parse({"features", "set", "SAMPLE", "min_version=3", "max_version=4", "--adapter=1"});
  const auto* features = std::get_if<FeaturesCommand>(&set);
  ASSERT_NE(features, nullptr);
  EXPECT_EQ(features->action, FeatureAction::kSet);
  EXPECT_EQ(features->feature, "SAMPLE");
  EXPECT_EQ(features->values, (std::vector<std::string>{"min_version=3", "max_version=4"}));
  EXPECT_EQ(features->adapter, "1");
  const Command unset = Parse({"features", "unset", "SAMPLE"});
  ASSERT_NE(std::get_if<FeaturesCommand>(&unset), nullptr);
  EXPECT_EQ(std::get<FeaturesCommand>(unset).action, FeatureAction::kUnset);
  for (const std::vector<const char*>& wrong :
       {std::vector<const char*>{"features"}, {"features", "set"}, {"features", "set", "SAMPLE"}, {"features", "unset"}}) {
    const Command command = Parse(wrong);
    const auto* print = std::get_if<PrintCommand>(&command);
    ASSERT_NE(print, nullptr);
    EXPECT_EQ(print->exit_code, kExitUsage);
  }
}

TEST(CommandLine, Features_ServeAndGuest_TakeASocketAndAnAdapter) {
  const std::pair<const char*, FeatureAction> actions[] = {{"serve", FeatureAction::kServe}, {"guest", FeatureAction::kGuest}};
  for (const auto& [name, action] : actions) {
    const Command command = Parse({"features", name, "/run/s", "--adapter", "soft"});
    const auto* features = std::get_if<FeaturesCommand>(&command);
    ASSERT_NE(features, nullptr) << name;
    EXPECT_EQ(features->action, action);
    EXPECT_EQ(features->socket, "/run/s");
    EXPECT_EQ(features->adapter, "soft");
    EXPECT_TRUE(std::holds_alternative<PrintCommand>(Parse({"features", name, "/run/s"})));
    EXPECT_TRUE(std::holds_alternative<PrintCommand>(Parse({"features", name, "--adapter", "soft"})));
  }
}

TEST(CommandLine, Run_Buffers_StandInTheSettingsOrAreRefused) {
  const Command command = Parse({"run", "--buffers", "2,3,2", "--", "app"});
  const auto* run = std::get_if<RunCommand>(&command);
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->traced.settings.buffers, (config::BufferCounts{2, 3, 2}));
  const Command refused = Parse({"run", "--buffers=2,3,9", "--", "app"});
  const auto* print = std::get_if<PrintCommand>(&refused);
  ASSERT_NE(print, nullptr);
  EXPECT_EQ(print->exit_code, kExitUsage);
  EXPECT_NE(print->text.find("--buffers: Buffers '2,3,9' is neither"), std::string::npos) << print->text;
}

TEST(CommandLine, Status_Watch_TakesSecondsOrOne) {
  const auto watch = [](std::vector<const char*> arguments) {
    const Command command = Parse(std::move(arguments));
    const auto* status = std::get_if<StatusCommand>(&command);
    return status != nullptr ? status->watch_s : -1;
  };
  EXPECT_EQ(watch({"status"}), 0);
  EXPECT_EQ(watch({"status", "--watch"}), 1);
  EXPECT_EQ(watch({"status", "--watch", "--json"}), 1);
  EXPECT_EQ(watch({"status", "--watch=0.5"}), 0.5);
  EXPECT_EQ(watch({"status", "--watch", "3"}), 3);
  EXPECT_EQ(watch({"status", "--watch=0"}), -1);
  EXPECT_EQ(watch({"status", "--watch=soon"}), -1);
}

}  // namespace
}  // namespace tandem::cli
