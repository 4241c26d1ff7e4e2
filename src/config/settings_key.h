// The settings by name: in the configuration file, in the environment, on the command line.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "config/settings.h"

namespace tandem::config {

inline constexpr std::size_t kMaxSelectorBytes = 256;
inline constexpr std::size_t kMaxPathBytes = 4095;  // PATH_MAX without its end

enum class SettingType { kText, kTextOrIndex, kFlag };

// Sets one field of `settings` from text. The error is a sentence without the setting's name.
using SettingParser = Result<void> (*)(Settings& settings, std::string_view text);

struct SettingKey {
  std::string_view name;  // in the configuration file
  const char* variable;   // in the environment
  SettingType type;
  SettingParser parse;
};

// Every setting of the file; TANDEM_ENABLE stands in the environment only. Static storage.
[[nodiscard]] std::span<const SettingKey> SettingKeys();

}  // namespace tandem::config
