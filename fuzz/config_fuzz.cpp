// Configuration files of any content.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "config/config_file.h"
#include "config/setting_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto traced = tandem::config::ApplyConfigText(text, "fuzz.toml", "app", {});
  std::vector<std::string_view> keys;
  for (const auto& setting : tandem::config::SettingTable()) keys.push_back(setting.key);
  if (traced.ok()) (void)tandem::config::ToEnvironment(traced->settings, keys);
  return 0;
}
