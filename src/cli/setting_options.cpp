#include "cli/setting_options.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "config/setting_table.h"

namespace tandem::cli {

void AddSettingOptions(CLI::App& command) {
  for (const config::Setting& setting : config::SettingTable()) {
    const std::string help = fmt::format("{} (default {})", setting.help, config::DefaultText(setting));
    const std::string name(setting.option);
    CLI::Option* const option = setting.type == config::ValueType::kSwitch ? command.add_flag(name) : command.add_option(name);
    option->description(help)->type_name(std::string(setting.value))->group(std::string(setting.group));
  }
}

Result<void> SetTyped(const CLI::App& command, config::TracedSettings& traced) {
  for (const config::Setting& setting : config::SettingTable()) {
    const CLI::Option* const option = command.get_option(std::string(setting.option));
    if (option->count() == 0) continue;
    config::Origin origin{.source = config::Source::kOption, .name = std::string(setting.option)};
    if (auto set = config::Set(traced, setting, option->results().back(), std::move(origin)); !set.ok()) {
      return std::move(set).error().Context(setting.option);
    }
  }
  return {};
}

}  // namespace tandem::cli
