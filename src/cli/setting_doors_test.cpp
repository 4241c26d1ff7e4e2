// Each setting through its three doors: the option, the variable and the key of the configuration file.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "config/setting_table.h"

namespace tandem::config {

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.key; }

}  // namespace tandem::config

namespace tandem::cli {
namespace {

using config::Setting;
using config::Source;
using config::TracedSettings;

struct Values {
  std::vector<std::string> taken;  // other than the default
  std::vector<std::string> refused;
};

const Values& ValuesOf(const Setting& setting) {
  static const std::string kLong(5000, 'a');
  static const std::map<std::string_view, Values> values = {
      {"render", {{"llvmpipe", "3", "0000:01:00.0"}, {"a\nb", kLong}}},
      {"display", {{"soft", "0"}, {"a\x7f", kLong}}},
      {"display_layers", {{"mangohud", "VK_LAYER_A,VK_LAYER_B"}, {"a,", ",", "a\nb", "a,b,c,d,e,f,g,h,i", kLong}}},
      {"display_driver", {{"/tmp/a b.so", "./off"}, {"a\nb", kLong}}},
      {"registry", {{"/tmp/a b.toml", "./off"}, {"a\nb", kLong}}},
      {"as", {{"layer", "driver"}, {"icd", "Driver"}}},
      {"gl", {{"on", "off", "1", "no"}, {"zink", "On"}}},
      {"output",
       {{"window", "headless", "png:/tmp/a b.png", "y4m:x", "raw:png:z"}, {"png:", "x11", "Window", "png:a\nb", kLong}}},
      {"path", {{"direct", "one-copy", "two-copy", "cpu", "compressed"}, {"three-copy", "Direct"}}},
      {"buffers", {{"2,3,2", "16,8,8"}, {"2", "2,3,9", "2;3;2", "0,0,0"}}},
      {"present_mode", {{"fifo", "fifo-relaxed", "mailbox", "immediate", "fifo-latest-ready"}, {"vsync"}}},
      {"encode", {{"off", "lossless", "lossless,bc1", "no-bc1"}, {"best", "no-bc1,lossless", "lossless,"}}},
      {"content", {{"game", "desktop", "cad"}, {"cinema"}}},
      {"frame_bytes", {{"500kB", "2MB"}, {"2", "1B", "2MB/s", "5GB"}}},
      {"link_limit", {{"250MB/s", "2.5GB/s"}, {"250", "250MB", "-1MB/s"}}},
      {"scan_out_nv12", {{"off", "0", "false", "no"}, {"perhaps", "2"}}},
      {"yuv", {{"bt601,limited", "bilinear"}, {"bt601,pal", "full,limited"}}},
      {"dither", {{"on", "1", "true", "yes"}, {"perhaps"}}},
      {"hud", {{"on", "1", "true", "yes"}, {"perhaps", "2"}}},
      {"stats", {{"on", "1", "true", "yes"}, {"perhaps", "2"}}},
      {"stats_json", {{"/tmp/a b.json", "./off", "%e-%p%%.json"}, {"a\nb", kLong, "%d.json", "%", "%p/a.json"}}},
      {"frame_log", {{"/tmp/f.csv", "auto", "%p"}, {"a\tb", kLong, "%e%"}}},
      {"trace", {{"/tmp/t.json", "%e-%p"}, {"a\tb", kLong, "%p/t.json"}}},
      {"frame_log_format", {{"presentmon", "mangohud"}, {"csv", "PresentMon"}}},
      {"link_engine", {{"processor", "shader"}, {"gpu"}}},
      {"yuv_passes", {{"fused", "three"}, {"two"}}},
      {"on_lost", {{"wait"}, {"Wait", "previous"}}},
      {"lose", {{"display:2000", "render:0"}, {"display", "display:", "gpu:1", "render:-1", "display:1x"}}},
      {"unplug", {{"2000:1000", "0:1"}, {"2000", "5:0", "1:2:3", "1:x"}}},
  };
  return values.at(setting.key);
}

// Settings, or the sentence behind `prefix` that refuses them.
struct Answer {
  TracedSettings traced;
  std::string refusal;
};

Answer Of(const Result<TracedSettings>& read, const std::string& prefix) {
  if (read.ok()) return {*read, ""};
  const std::string& message = read.error().message;
  return {{}, message.starts_with(prefix) ? message.substr(prefix.size()) : "Without " + prefix + ": " + message};
}

std::string InQuotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    char escaped[8];
    std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned>(c));
    quoted += c < 0x20 || c == 0x7f ? escaped : std::string(1, c);
  }
  return quoted + "\"";
}

class SettingDoors : public testing::TestWithParam<Setting> {
 protected:
  SettingDoors() : folder_(std::filesystem::temp_directory_path() / ("tandem-doors-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_ / "tandem");
    setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
    for (const Setting& setting : config::SettingTable()) unsetenv(setting.variable);
  }
  ~SettingDoors() override {
    unsetenv("XDG_CONFIG_HOME");
    std::filesystem::remove_all(folder_);
  }

  static Answer ByOption(const std::string& text) {
    const bool flag = GetParam().type == config::ValueType::kSwitch;
    const std::string option = std::string(GetParam().option) + (flag ? "=" + text : "");
    std::vector<const char*> arguments{"tandem", "run", option.c_str()};
    if (!flag) arguments.push_back(text.c_str());
    arguments.insert(arguments.end(), {"--", "app"});
    const Command command = ParseCommandLine(static_cast<int>(arguments.size()), arguments.data(), config::ReadSettingsFor);
    if (const auto* run = std::get_if<RunCommand>(&command)) return {run->traced, ""};
    std::string printed = std::get<PrintCommand>(command).text;
    printed.pop_back();
    return Of(Fail(ErrorKind::kInvalidArgument, "{}", printed), "tandem run: " + std::string(GetParam().option) + ": ");
  }
  static Answer ByVariable(const std::string& text) {
    setenv(GetParam().variable, text.c_str(), 1);
    const Answer answer = Of(config::ReadSettingsFor("app"), std::string(GetParam().variable) + ": ");
    unsetenv(GetParam().variable);
    return answer;
  }
  Answer ByFile(const std::string& value) const {
    const std::filesystem::path file = folder_ / "tandem" / "tandem.toml";
    const std::string key(GetParam().key);
    std::ofstream(file) << "[default]\n" << key << " = " << value << "\n";
    auto read = config::ReadSettingsFor("app");
    std::filesystem::remove(file);
    if (read.ok() && !read->notices.empty()) read = Fail(ErrorKind::kInvalidArgument, "{}", read->notices.front());
    const Answer answer = Of(read, file.string() + ":2: " + key + ": ");
    return answer;
  }

 private:
  const std::filesystem::path folder_;
};

TEST_P(SettingDoors, ValidValue_IsTheSameThroughEach) {
  const Setting& setting = GetParam();
  for (const std::string& text : ValuesOf(setting).taken) {
    const Answer by_option = ByOption(text);
    const Answer by_variable = ByVariable(text);
    const Answer by_file = ByFile(InQuotes(text));
    ASSERT_EQ(by_option.refusal + by_variable.refusal + by_file.refusal, "") << text;
    const std::string value = setting.text(by_option.traced.settings);
    EXPECT_NE(value, config::DefaultText(setting)) << text;
    EXPECT_EQ(setting.text(by_variable.traced.settings), value) << text;
    EXPECT_EQ(setting.text(by_file.traced.settings), value) << text;
    EXPECT_EQ(by_option.traced.OriginOf(setting.key).source, Source::kOption);
    EXPECT_EQ(by_option.traced.OriginOf(setting.key).name, setting.option);
    EXPECT_EQ(by_variable.traced.OriginOf(setting.key).source, Source::kEnvironment);
    EXPECT_EQ(by_variable.traced.OriginOf(setting.key).name, setting.variable);
    EXPECT_EQ(by_file.traced.OriginOf(setting.key).source, Source::kFile);
    EXPECT_EQ(by_file.traced.OriginOf(setting.key).line, 2U);
    EXPECT_EQ(by_file.traced.OriginOf(setting.key).table, "default");
  }
}

TEST_P(SettingDoors, InvalidValue_IsRefusedWithOneSentence) {
  for (const std::string& text : ValuesOf(GetParam()).refused) {
    const std::string refusal = ByOption(text).refusal;
    EXPECT_TRUE(refusal.ends_with('.') && !refusal.starts_with("Without")) << text << ": " << refusal;
    EXPECT_EQ(ByVariable(text).refusal, refusal) << text;
    EXPECT_EQ(ByFile(InQuotes(text)).refusal, refusal) << text;
  }
}

// A variable that is empty counts as not set, as shells have it.
TEST_P(SettingDoors, EmptyValue_IsRefusedButByTheVariable) {
  EXPECT_EQ(ByFile("\"\"").refusal, "The value is empty.");
  EXPECT_EQ(ByVariable("").refusal, "");
  const bool flag = GetParam().type == config::ValueType::kSwitch;  // --stats= is --stats
  EXPECT_EQ(ByOption("").refusal, flag ? "" : "The value is empty.");
}

// The default stands in help and manual, so it must be a value, which takes back what the file says.
TEST_P(SettingDoors, Default_IsAValueThatOverridesTheFile) {
  const Setting& setting = GetParam();
  const std::string standard = config::DefaultText(setting);
  EXPECT_EQ(ByOption(standard).refusal, "");
  EXPECT_EQ(ByFile(InQuotes(standard)).refusal, "");
  setenv(setting.variable, standard.c_str(), 1);
  const Answer both = ByFile(InQuotes(ValuesOf(setting).taken.front()));
  unsetenv(setting.variable);
  EXPECT_EQ(setting.text(both.traced.settings), standard);
  EXPECT_EQ(both.traced.OriginOf(setting.key).source, Source::kEnvironment);
}

TEST_P(SettingDoors, Examples_AreValues) {
  std::string_view rest = GetParam().examples;
  while (!rest.empty()) {
    const std::string example(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(std::min(rest.size(), example.size() + 1));
    const std::string refusal = ByVariable(example.ends_with(':') ? example + "file" : example).refusal;
    if (refusal == "Encoding '" + example + "' is left out of this build.") continue;  // TANDEM_YUV420=OFF
    EXPECT_EQ(refusal, "") << example;
  }
}

TEST_P(SettingDoors, Names_AreOfOneKind) {
  std::string option(GetParam().key);
  std::ranges::replace(option, '_', '-');
  EXPECT_EQ(GetParam().option, "--" + option);
  std::string variable(GetParam().key);
  std::ranges::transform(variable, variable.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
  EXPECT_EQ(GetParam().variable, "TANDEM_" + variable);
}

INSTANTIATE_TEST_SUITE_P(Table, SettingDoors, testing::ValuesIn(config::SettingTable().begin(), config::SettingTable().end()),
                         [](const auto& setting) { return std::string(setting.param.key); });

}  // namespace
}  // namespace tandem::cli
