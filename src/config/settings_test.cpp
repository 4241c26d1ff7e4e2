#include "config/settings.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "config/config_file.h"
#include "config/policy/decide.h"
#include "config/setting_table.h"

namespace tandem::config {
namespace {

using swapchain::PathRequest;
using swapchain::PresentMode;

bool Same(const Settings& a, const Settings& b) {
  return a.enabled == b.enabled && a.render == b.render && a.display == b.display && a.output.kind == b.output.kind &&
         a.output.path == b.output.path && a.path == b.path && a.present_mode == b.present_mode && a.stats == b.stats &&
         a.frame_log == b.frame_log && a.trace == b.trace && a.frame_log_format == b.frame_log_format && a.hud == b.hud &&
         a.display_driver == b.display_driver && a.display_layers == b.display_layers && a.registry == b.registry &&
         a.stats_json == b.stats_json && a.encodings.allowed == b.encodings.allowed &&
         a.encodings.asked_for == b.encodings.asked_for && a.content == b.content && a.link_limit == b.link_limit &&
         a.buffers == b.buffers && a.link_engine == b.link_engine && a.yuv_passes == b.yuv_passes && a.unplug == b.unplug &&
         a.scan_out_nv12 == b.scan_out_nv12 && a.dither == b.dither && a.yuv == b.yuv && a.frame_bytes == b.frame_bytes &&
         a.on_lost == b.on_lost && a.lose == b.lose;
}

// An environment without TANDEM_*, and a configuration folder of its own.
class SettingsTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("tandem-settings-" + std::to_string(getpid()));
    std::filesystem::create_directories(directory_ / "tandem");
    setenv("XDG_CONFIG_HOME", directory_.c_str(), 1);
    Clear();
  }
  void TearDown() override {
    Clear();
    unsetenv("XDG_CONFIG_HOME");
    std::filesystem::remove_all(directory_);
  }
  static void Clear() {
    unsetenv("TANDEM_ENABLE");
    unsetenv(kSessionVariable);
    for (const Setting& setting : SettingTable()) unsetenv(setting.variable);
  }
  void WriteConfig(const char* text) const { std::ofstream(directory_ / "tandem" / "tandem.toml") << text; }

  std::filesystem::path directory_;
};

TEST_F(SettingsTest, ReadSettings_NothingSet_GivesTheDefaults) {
  const auto settings = ReadSettings({});
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  EXPECT_TRUE(Same(*settings, Settings{}));
}

TEST_F(SettingsTest, ReadSettings_Environment_WeighsMoreThanTheFile) {
  WriteConfig("[default]\nrender = 2\npath = \"two-copy\"\nstats = true\n[app.game]\npath = \"direct\"\n");
  setenv("TANDEM_RENDER", "llvmpipe", 1);
  setenv("TANDEM_ENABLE", "1", 1);
  const auto settings = ReadSettingsFor("/usr/bin/game");
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  EXPECT_TRUE(settings->settings.enabled);
  EXPECT_EQ(settings->settings.render, "llvmpipe");
  EXPECT_EQ(settings->settings.path, PathRequest::kDirect);
  EXPECT_TRUE(settings->settings.stats);
  EXPECT_EQ(ReadSettingsFor("other")->settings.path, PathRequest::kTwoCopy);
}

TEST_F(SettingsTest, ReadSettings_EncodingsOfOneProgram_AreItsOwn) {
  WriteConfig(
      "[default]\nencode = \"no-bc1\"\n[app.cad]\nencode = \"lossless\"\ncontent = \"desktop\"\nlink_limit = \"1GB/s\"\n");
  const auto cad = ReadSettingsFor("/usr/bin/cad");
  ASSERT_TRUE(cad.ok()) << cad.error().message;
  EXPECT_EQ(ToString(cad->settings.encodings), "lossless");
  EXPECT_EQ(cad->settings.content, link::ContentKind::kDesktop);
  EXPECT_EQ(cad->settings.link_limit, 1'000'000'000U);
  const auto game = ReadSettingsFor("game");
  EXPECT_EQ(ToString(game->settings.encodings), "no-bc1");
  EXPECT_EQ(game->settings.content, link::ContentKind::kAuto);
}

TEST_F(SettingsTest, ReadSettings_BadEnvironment_NamesTheVariable) {
  setenv("TANDEM_PATH", "three-copy", 1);
  EXPECT_EQ(ReadSettings({}).error().message,
            "TANDEM_PATH: Path 'three-copy' is not one of auto, direct, one-copy, two-copy, cpu, compressed.");
  setenv("TANDEM_PATH", "cpu", 1);
  setenv("TANDEM_PRESENT_MODE", "vsync", 1);
  EXPECT_EQ(
      ReadSettings({}).error().message,
      "TANDEM_PRESENT_MODE: Present mode 'vsync' is not one of auto, fifo, fifo-relaxed, mailbox, immediate, fifo-latest-ready.");
  unsetenv("TANDEM_PRESENT_MODE");
  setenv("TANDEM_YUV_PASSES", "two", 1);
  EXPECT_EQ(ReadSettings({}).error().message, "TANDEM_YUV_PASSES: Passes to 4:2:0 'two' is not one of auto, fused, three.");
  unsetenv("TANDEM_YUV_PASSES");
  setenv("TANDEM_LINK_ENGINE", "gpu", 1);
  EXPECT_EQ(ReadSettings({}).error().message, "TANDEM_LINK_ENGINE: Link engine 'gpu' is not one of auto, processor, shader.");
  unsetenv("TANDEM_LINK_ENGINE");
  setenv("TANDEM_STATS", "perhaps", 1);
  EXPECT_FALSE(ReadSettings({}).ok());
  setenv("TANDEM_STATS", "1", 1);
  setenv("TANDEM_ENABLE", "2", 1);
  EXPECT_FALSE(ReadSettings({}).ok());
}

TEST_F(SettingsTest, ConfigIsADirectory_IsSaidAndCountsAsNone) {
  std::filesystem::create_directories(directory_ / "tandem" / "tandem.toml");
  EXPECT_TRUE(ReadSettings({}).ok());
  const auto settings = ReadSettingsFor("game");
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  EXPECT_TRUE(Same(settings->settings, Settings{}));
  ASSERT_EQ(settings->notices.size(), 1U);
  EXPECT_NE(settings->notices.front().find("tandem.toml cannot be read"), std::string::npos) << settings->notices.front();
}

TEST_F(SettingsTest, ToEnvironment_AnySettings_AreReadBackDespiteTheFile) {
  WriteConfig(
      "[default]\nrender = \"a\"\ndisplay = \"b\"\noutput = \"headless\"\npath = \"cpu\"\npresent_mode = \"fifo\"\nstats = "
      "true\n");
  Settings full;
  full.enabled = true;
  full.render = "1";
  full.display = "Tandem soft";
  full.form = ProgramForm::kDriver;
  full.output = {OutputSpec::Kind::kY4m, "/tmp/a b=c.y4m"};
  full.path = PathRequest::kOneCopy;
  full.present_mode = PresentMode::kMailbox;
  full.stats_json = "/tmp/s.json";
  full.display_driver = "/tmp/d.so";
  full.display_layers = {"VK_LAYER_A", "b c"};
  full.registry = "/tmp/d.toml";
  full.frame_log = "/tmp/f.csv";
  full.trace = "/tmp/t.json";
  full.encodings = *link::ParseEncodings("lossless,420");
  full.content = link::ContentKind::kDesktop;
  full.link_limit = 250'000'000;
  full.link_engine = LinkEngine::kShader;
  full.yuv_passes = YuvPasses::kThree;
  full.unplug = {200, 1000};
  full.scan_out_nv12 = false;
  full.dither = true;
  full.hud = true;
  full.on_lost = OnLost::kWait;
  full.lose = {AdapterLoss::Role::kRender, 200};
  full.frame_bytes = 2'500'000;
  full.yuv = *link::ParseYuv("bt2020,limited,bilinear");
  Settings left_out;
  left_out.encodings = *link::ParseEncodings("no-420,no-bc1");
  for (const Settings& settings : {full, left_out, Settings{}}) {
    Clear();
    std::vector<std::string_view> all;
    for (const Setting& setting : SettingTable()) all.push_back(setting.key);
    for (std::string pair : ToEnvironment(settings, all)) {
      const std::size_t equal = pair.find('=');
      setenv(pair.substr(0, equal).c_str(), pair.c_str() + equal + 1, 1);
    }
    const auto read = ReadSettings({});
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_TRUE(Same(*read, settings));
  }
}

TEST_F(SettingsTest, ToEnvironment_OneVariableAsked_LeavesTheOthersToTheFileOfTheChild) {
  Settings settings;
  settings.enabled = true;
  settings.path = PathRequest::kCpuCopy;
  settings.render = "a";
  const std::vector<std::string_view> asked{"path"};
  EXPECT_EQ(ToEnvironment(settings, asked), (std::vector<std::string>{"TANDEM_ENABLE=1", "TANDEM_SESSION=0", "TANDEM_PATH=cpu"}));
}

TEST_F(SettingsTest, ReadSettings_ErrorInATable_CountsForThatTableAlone) {
  WriteConfig("[default]\nstats = true\n[app.bad]\nspeed = 3\npath = \"cpu\"\n[app.good]\npath = \"cpu\"\n");
  EXPECT_EQ(ReadSettingsFor("/usr/bin/good")->settings.path, PathRequest::kCpuCopy);
  EXPECT_TRUE(ReadSettingsFor("other")->settings.stats);
  const auto bad = ReadSettingsFor("bad");
  ASSERT_TRUE(bad.ok()) << bad.error().message;
  EXPECT_EQ(bad->settings.path, PathRequest::kAuto);
  EXPECT_TRUE(bad->settings.stats);
  ASSERT_EQ(bad->notices.size(), 1U);
  EXPECT_NE(bad->notices.front().find("tandem.toml:4: [app.\"bad\"] has a key 'speed'"), std::string::npos)
      << bad->notices.front();
  // An error in the table for all programs is nobody's end either.
  WriteConfig("[default]\nspeed = 3\n[app.good]\npath = \"cpu\"\n");
  EXPECT_EQ(ReadSettingsFor("/usr/bin/good")->settings.path, PathRequest::kCpuCopy);
  EXPECT_TRUE(ReadSettings({}).ok());
  WriteConfig("[default\n");
  EXPECT_TRUE(ReadSettings({}).ok());
}

TEST_F(SettingsTest, ReadSettings_UseNever_LeavesThatProgramAlone) {
  WriteConfig("[app.steam]\nuse = \"never\"\n[app.odd]\nuse = \"sometimes\"\n[app.config_test]\nuse = \"never\"\n");
  EXPECT_EQ(ReadSettingsFor("/usr/bin/steam")->settings.use, Use::kNever);
  EXPECT_EQ(ReadSettingsFor("game")->settings.use, Use::kWhenLaunched);
  EXPECT_NE(ReadSettingsFor("odd")->notices.front().find(
                "tandem.toml:4: use: Use 'sometimes' is not one of when-launched, always, never."),
            std::string::npos);
  const auto own = ReadSettings({});
  ASSERT_FALSE(own.ok());
  EXPECT_EQ(own.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(own.error().message.find("tandem.toml:6, [app.\"config_test\"] leaves this program alone"), std::string::npos)
      << own.error().message;
}

TEST_F(SettingsTest, ReadSettings_LayerOfTheSession_ServesWhatIsAllowedOrLaunched) {
  setenv(kSessionVariable, "1", 1);
  EXPECT_EQ(ReadSettings({}).error().kind, ErrorKind::kUnsupported);
  setenv("TANDEM_RENDER", "0", 1);
  EXPECT_TRUE(ReadSettings({}).ok());
  unsetenv("TANDEM_RENDER");
  WriteConfig("[app.a]\nmatch = [\"application:Cube *\", \"engine:Own\"]\nuse = \"always\"\n");
  EXPECT_TRUE(ReadSettings({.application = "Cube 1", .engine = ""}).ok());
  EXPECT_TRUE(ReadSettings({.application = "", .engine = "Own"}).ok());
  EXPECT_FALSE(ReadSettings({.application = "Sphere", .engine = "Own 2"}).ok());
  setenv(kSessionVariable, "0", 1);
  EXPECT_TRUE(ReadSettings({}).ok());
}

TEST_F(SettingsTest, ReadSettings_CharactersBeyondAscii_StandInCommentsAndTexts) {
  WriteConfig(
      "\xEF\xBB\xBF# Für Spiele: \"alles\n[default]\nstats_json = \"/tmp/Größe \\\" 日.json\" # 'é\n"
      "[app.\"Übung\"]\noutput = 'png:/tmp/ü.png'\nrender = \"\"\"é\"\"\"\n");
  const auto settings = ReadSettingsFor("/opt/Übung");
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  EXPECT_EQ(settings->settings.stats_json, "/tmp/Größe \" 日.json");
  EXPECT_EQ(settings->settings.output.path, "/tmp/ü.png");
  EXPECT_EQ(settings->settings.render, "é");
}

TEST(ParseOutputSpec_EachForm, IsToldBack) {
  for (const char* text : {"auto", "window", "headless", "png:/a/b.png", "y4m:x", "raw:png:z"}) {
    const auto output = ParseOutputSpec(text);
    ASSERT_TRUE(output.ok()) << text;
    EXPECT_EQ(ToString(*output), text);
  }
  for (const char* text : {"", "Window", "png", "png:", "jpg:a", "x11"}) EXPECT_FALSE(ParseOutputSpec(text).ok()) << text;
}

TEST_F(SettingsTest, Buffers_ThreeCountsOrAuto_ThereAndBack) {
  const auto counts = ParseBufferCounts("2,3,4");
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(*counts, (BufferCounts{2, 3, 4}));
  EXPECT_EQ(ToString(*counts), "2,3,4");
  EXPECT_EQ(ParseBufferCounts("auto").value(), BufferCounts{});
  EXPECT_EQ(ToString(BufferCounts{}), "auto");
  EXPECT_TRUE(ParseBufferCounts("16,8,8").ok());
  for (const char* text : {"", "2", "2,3", "2,3,2,2", "1,3,2", "17,3,2", "2,1,2", "2,9,2", "2,3,1", "2,3,9", "2,3,2 ", " 2,3,2",
                           "-2,3,2", "2;3;2", "4294967298,3,2", "a,b,c"}) {
    EXPECT_EQ(ParseBufferCounts(text).error().message,
              "Buffers '" + std::string(text) +
                  "' is neither auto nor three counts as in 2,3,2: images 2..16, ring 2..8, display 2..8.");
  }
}

}  // namespace
}  // namespace tandem::config
