#include "config/settings.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/env.h"
#include "base/log.h"
#include "config/config_file.h"
#include "config/setting_table.h"

namespace tandem::config {
namespace {

std::string OwnExecutable() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string() : path.string();
}

Result<void> ApplyEnvironment(TracedSettings& traced) {
  for (const Setting& setting : SettingTable()) {
    const auto text = EnvString(setting.variable);
    if (!text) continue;
    if (auto set = Set(traced, setting, *text, {.source = Source::kEnvironment, .name = setting.variable}); !set.ok()) {
      return std::move(set).error().Context(setting.variable);
    }
  }
  const auto enabled = EnvFlag("TANDEM_ENABLE");
  if (!enabled.ok()) return enabled.error();
  traced.settings.enabled = enabled->value_or(false);
  return {};
}

enum class UnreadableFile { kIsAnError, kIsNoFile };

Result<TracedSettings> Read(std::string_view program, UnreadableFile unreadable) {
  TracedSettings traced;
  const std::size_t slash = program.rfind('/');
  const std::string_view application = slash == std::string_view::npos ? program : program.substr(slash + 1);
  if (const auto path = ConfigFilePath("tandem.toml")) {
    auto read = ApplyConfigFile(*path, application, traced);
    const bool ignored = !read.ok() && read.error().kind == ErrorKind::kIo && unreadable == UnreadableFile::kIsNoFile;
    if (!read.ok() && !ignored) return std::move(read).error();
    if (ignored) {
      Log(LogLevel::kWarn, "Settings are those of the environment alone. {}", read.error().message);
    } else {
      traced = *std::move(read);
    }
  }
  if (auto applied = ApplyEnvironment(traced); !applied.ok()) return std::move(applied).error();
  return traced;
}

}  // namespace

Origin TracedSettings::OriginOf(std::string_view key) const {
  const auto found = origins.find(key);
  return found == origins.end() ? Origin{} : found->second;
}

Result<Settings> ReadSettings() {
  auto traced = Read(OwnExecutable(), UnreadableFile::kIsNoFile);
  if (!traced.ok()) return std::move(traced).error();
  if (traced->settings.use == Use::kNever) {
    return Fail(ErrorKind::kUnsupported, "The configuration file leaves this program alone (use = \"never\").");
  }
  return std::move(traced->settings);
}

Result<TracedSettings> ReadSettingsFor(std::string_view program) { return Read(program, UnreadableFile::kIsAnError); }

std::vector<std::string> ToEnvironment(const Settings& settings, std::span<const std::string_view> keys) {
  std::vector<std::string> environment = {std::string("TANDEM_ENABLE=") + (settings.enabled ? "1" : "0")};
  for (const Setting& setting : SettingTable()) {
    if (std::ranges::find(keys, setting.key) == keys.end()) continue;
    environment.push_back(std::string(setting.variable) + "=" + setting.text(settings));
  }
  return environment;
}

}  // namespace tandem::config
