// Files of policy of any content, as each source's, and changed in place.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "config/policy/decide.h"
#include "config/policy/policy_edit.h"
#include "config/policy/policy_scan.h"
#include "config/setting_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem::config;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ProgramIdentity program;
  program.executable = "/opt/game/fly";
  program.windows = "C:\\Games\\app.exe";
  program.steam = "440";
  program.names = {.application = "App", .engine = "Engine"};
  const std::vector<PolicyFile> files{ParsePolicyText(text, "vendor.toml", Source::kVendor),
                                      ParsePolicyText(text, "administrator.toml", Source::kAdministrator),
                                      ParsePolicyText(text, "user.toml", Source::kFile)};
  for (const PolicyTable& table : files.back().tables) {
    const auto fits = [&program](const Pattern& pattern) { return Matches(pattern, program); };
    const bool counts = table.match.empty() || std::ranges::any_of(table.match, fits);
    if (counts && !MayConcern(text, program)) std::abort();
  }
  const auto none = [](std::string_view) -> std::optional<std::string> { return std::nullopt; };
  const auto decision = Decide(program, files, none);
  // Faults of files never fail a program.
  if (!decision.ok()) std::abort();
  std::vector<std::string_view> keys;
  for (const auto& setting : SettingTable()) keys.push_back(setting.key);
  (void)ToEnvironment(decision->traced.settings, keys);

  const auto changed = WithProgramChoice(text, "user.toml", {.program = "app", .use = Use::kNever, .render = "soft"});
  if (!changed.ok()) return 0;
  const PolicyFile after = ParsePolicyText(*changed, "user.toml", Source::kFile);
  if (after.faults.size() > files.back().faults.size()) std::abort();
  return 0;
}
