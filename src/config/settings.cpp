#include "config/settings.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "config/policy/decide.h"
#include "config/policy/policy_folders.h"
#include "config/setting_table.h"

namespace tandem::config {

Origin TracedSettings::OriginOf(std::string_view key) const {
  const auto found = origins.find(key);
  return found == origins.end() ? Origin{} : found->second;
}

std::string LockedSentence(std::string_view key, const Origin& origin, const Origin& lock) {
  return fmt::format("{} of {} is not taken: {} locks it.", key, PlaceOf(origin), PlaceOf(lock));
}

Result<Settings> ReadSettings(ApplicationNames names) {
  auto decision = DecideForThisProcess(std::move(names));
  if (!decision.ok()) return std::move(decision).error();
  for (const std::string& notice : decision->traced.notices) Log(LogLevel::kWarn, "Settings: {}", notice);
  if (!decision->served) return Fail(ErrorKind::kUnsupported, "{}", decision->reason);
  return std::move(decision->traced.settings);
}

Result<TracedSettings> ReadSettingsFor(std::string_view program) {
  const auto identity = IdentifyText(program);
  if (!identity.ok()) return identity.error();
  const std::vector<PolicyFile> files = ReadPolicyFiles(PolicyFoldersHere());
  auto decision = Decide(*identity, files, OwnEnvironment());
  if (!decision.ok()) return std::move(decision).error();
  return std::move(decision->traced);
}

std::vector<std::string> ToEnvironment(const Settings& settings, std::span<const std::string_view> keys) {
  std::vector<std::string> environment = {std::string("TANDEM_ENABLE=") + (settings.enabled ? "1" : "0"),
                                          std::string(kSessionVariable) + "=0"};
  for (const Setting& setting : SettingTable()) {
    if (std::ranges::find(keys, setting.key) == keys.end()) continue;
    environment.push_back(std::string(setting.variable) + "=" + setting.text(settings));
  }
  return environment;
}

}  // namespace tandem::config
