#include "config/settings.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/env.h"
#include "base/log.h"
#include "config/config_file.h"
#include "config/settings_key.h"

namespace tandem::config {
namespace {

std::string OwnExecutable() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string() : path.string();
}

Result<void> ApplyEnvironment(Settings& settings) {
  for (const SettingKey& key : SettingKeys()) {
    const auto text = EnvString(key.variable);
    if (!text) continue;
    if (auto parsed = key.parse(settings, *text); !parsed.ok()) return parsed.error().Context(key.variable);
  }
  const auto enabled = EnvFlag("TANDEM_ENABLE");
  if (!enabled.ok()) return enabled.error();
  settings.enabled = enabled->value_or(false);
  return {};
}

enum class UnreadableFile { kIsAnError, kIsNoFile };

Result<Settings> Read(std::string_view program, UnreadableFile unreadable) {
  Settings settings;
  const std::size_t slash = program.rfind('/');
  const std::string_view application = slash == std::string_view::npos ? program : program.substr(slash + 1);
  if (const auto path = ConfigFilePath("tandem.toml")) {
    auto read = ApplyConfigFile(*path, application, settings);
    const bool ignored = !read.ok() && read.error().kind == ErrorKind::kIo && unreadable == UnreadableFile::kIsNoFile;
    if (!read.ok() && !ignored) return std::move(read).error();
    if (ignored) {
      Log(LogLevel::kWarn, "Settings are those of the environment alone. {}", read.error().message);
    } else {
      settings = *std::move(read);
    }
  }
  if (auto applied = ApplyEnvironment(settings); !applied.ok()) return std::move(applied).error();
  return settings;
}

}  // namespace

Result<Settings> ReadSettings() {
  auto settings = Read(OwnExecutable(), UnreadableFile::kIsNoFile);
  if (settings.ok() && settings->leave_alone) {
    return Fail(ErrorKind::kUnsupported, "The configuration file leaves this program alone (use = \"never\").");
  }
  return settings;
}

Result<Settings> ReadSettingsFor(std::string_view program) { return Read(program, UnreadableFile::kIsAnError); }

std::vector<std::string> ToEnvironment(const Settings& settings, std::span<const std::string_view> asked) {
  const auto or_auto = [](std::string_view text) { return std::string(text.empty() ? "auto" : text); };
  std::vector<std::string> environment = {
      std::string("TANDEM_ENABLE=") + (settings.enabled ? "1" : "0"),
      "TANDEM_RENDER=" + or_auto(settings.render),
      "TANDEM_DISPLAY=" + or_auto(settings.display),
      "TANDEM_OUTPUT=" + ToString(settings.output),
      "TANDEM_PATH=" + std::string(ToString(settings.path)),
      "TANDEM_BUFFERS=" + ToString(settings.buffers),
      "TANDEM_PRESENT_MODE=" + or_auto(settings.present_mode ? ToString(*settings.present_mode) : std::string_view()),
      "TANDEM_ENCODE=" + ToString(settings.encodings),
      "TANDEM_CONTENT=" + std::string(ToString(settings.content)),
      "TANDEM_FRAME_BYTES=" + link::FrameBytesText(settings.frame_bytes),
      "TANDEM_LINK_LIMIT=" + link::LinkLimitText(settings.link_limit),
      "TANDEM_LINK_ENGINE=" + std::string(ToString(settings.link_engine)),
      "TANDEM_YUV_PASSES=" + std::string(ToString(settings.yuv_passes)),
      std::string("TANDEM_SCAN_OUT_NV12=") + (settings.scan_out_nv12 ? "1" : "0"),
      "TANDEM_YUV=" + link::LinkYuvText(settings.yuv),
      std::string("TANDEM_DITHER=") + (settings.dither ? "1" : "0"),
      std::string("TANDEM_STATS=") + (settings.stats ? "1" : "0"),
  };
  if (!settings.stats_json.empty()) environment.push_back("TANDEM_STATS_JSON=" + settings.stats_json);
  if (!settings.frame_log.empty()) environment.push_back("TANDEM_FRAME_LOG=" + settings.frame_log);
  std::erase_if(environment, [&](std::string_view pair) {
    const std::string_view variable = pair.substr(0, pair.find('='));
    return variable != "TANDEM_ENABLE" && std::ranges::find(asked, variable) == asked.end();
  });
  return environment;
}

}  // namespace tandem::config
