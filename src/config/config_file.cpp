#include "config/config_file.h"

#include "base/env.h"

namespace tandem::config {
namespace {

std::optional<std::string> ConfigDirectory() {
  if (const auto directory = EnvString("XDG_CONFIG_HOME"); directory && directory->front() == '/') return *directory + "/tandem";
  if (const auto home = EnvString("HOME")) return *home + "/.config/tandem";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ConfigFilePath(std::string_view name) {
  const auto directory = ConfigDirectory();
  return directory ? std::optional<std::string>(*directory + "/" + std::string(name)) : std::nullopt;
}

}  // namespace tandem::config
