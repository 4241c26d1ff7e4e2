// The one table of settings. Command line, environment, configuration file, manual and completion come from it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/settings.h"

namespace tandem::config {

// The configuration file takes a text in quotes for each, also a whole number for kTextOrIndex, and true or false for kFlag and
// kSwitch. The option of kSwitch means "on" without a value.
enum class ValueType { kText, kTextOrIndex, kFlag, kSwitch };

struct Setting {
  std::string_view key;     // in the configuration file
  std::string_view option;  // on the command line
  const char* variable;     // in the environment
  std::string_view value;   // name of the value in help and manual
  std::string_view group;   // heading in the help
  ValueType type;
  std::string_view examples;  // values that completion offers, with spaces between; "png:" wants more
  std::string_view help;      // one sentence without its full stop and without the default

  // Sets the field from text that is not empty. The error is a sentence without the setting's name.
  Result<void> (*parse)(Settings& settings, std::string_view text);
  // `parse` takes it. Of Settings{} it is the default.
  std::string (*text)(const Settings& settings);
};

// Variable of the setting `as`. A launcher exports it for the driver form, and the layer then steps aside.
inline constexpr const char* kFormVariable = "TANDEM_AS";

// Every setting, in the order of the manual. TANDEM_ENABLE stands in the environment alone, `use` in the file alone.
[[nodiscard]] std::span<const Setting> SettingTable();
// nullptr for a key that is not in the table.
[[nodiscard]] const Setting* FindSetting(std::string_view key);
[[nodiscard]] std::string DefaultText(const Setting& setting);

// Parses `text`, from whichever door it came, and keeps `origin` with it. The error is a sentence without the setting's name.
[[nodiscard]] Result<void> SetUnlocked(TracedSettings& traced, const Setting& setting, std::string_view text, Origin origin);
// Sets as SetUnlocked() does; a key that the administrator locked keeps its value, and a notice says so.
[[nodiscard]] Result<void> Set(TracedSettings& traced, const Setting& setting, std::string_view text, Origin origin);

}  // namespace tandem::config
