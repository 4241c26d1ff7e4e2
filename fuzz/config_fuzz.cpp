// Configuration files of any content.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "config/config_file.h"
#include "config/settings_key.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto settings = tandem::config::ApplyConfigText(text, "fuzz.toml", "app", {});
  std::vector<std::string_view> variables;
  for (const auto& key : tandem::config::SettingKeys()) variables.emplace_back(key.variable);
  if (settings.ok()) (void)tandem::config::ToEnvironment(*settings, variables);
  return 0;
}
