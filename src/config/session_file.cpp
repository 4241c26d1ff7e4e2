#include "config/session_file.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "config/config_file.h"
#include "config/config_io.h"
#include "config/layer_location.h"

namespace tandem::config {
namespace {

constexpr std::string_view kMarker = "# Written by 'tandem enable'; 'tandem disable' removes this file.\n";
constexpr const char* kName = "environment.d/60-tandem.conf";

// environment.d expands $, and its parser knows quotes, backslashes and comments.
Result<void> CheckPlain(std::string_view text) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._+-~@%, ";
  const std::size_t at = text.find_first_not_of(kPlain);
  if (at == std::string_view::npos) return {};
  return Fail(ErrorKind::kInvalidArgument, "'{}' has a character (byte {}) that environment.d may take for its own.", text, at);
}

}  // namespace

Result<std::string> SessionFilePath(SessionScope scope) {
  if (scope == SessionScope::kSystem) return std::string("/etc/") + kName;
  const auto own = ConfigFilePath("");
  if (!own) return Fail(ErrorKind::kNotFound, "Neither HOME nor XDG_CONFIG_HOME is set.");
  return (std::filesystem::path(*own).parent_path().parent_path() / kName).string();
}

Result<std::string> SessionFileText(const SessionChoice& choice) {
  std::string text(kMarker);
  text += "TANDEM_ENABLE=1\nTANDEM_SESSION=1\n";
  if (auto plain = CheckPlain(choice.data_directory); !plain.ok()) return std::move(plain).error();
  if (!IsSearchedAlways(choice.data_directory)) {
    text += "XDG_DATA_DIRS=${XDG_DATA_DIRS:-/usr/local/share:/usr/share}:" + choice.data_directory + "\n";
  }
  if (choice.sleeping.empty()) return text;
  text += "VK_ADD_DRIVER_FILES=" + DriverManifestIn(choice.data_directory) + "\nTANDEM_AS=driver\nVK_LOADER_DRIVERS_DISABLE=";
  for (const std::string& manifest : choice.sleeping) {
    if (auto plain = CheckPlain(manifest); !plain.ok()) return std::move(plain).error();
    text += (manifest == choice.sleeping.front() ? "" : ",") + manifest;
  }
  text += "\n";
  if (choice.shown.empty()) return text;
  if (auto plain = CheckPlain(choice.shown); !plain.ok()) return std::move(plain).error();
  return fmt::format("{}{}={}\n", text, kShownAsleepVariable, choice.shown);
}

std::optional<std::string> SessionValue(std::string_view text, std::string_view key) {
  const std::string start = "\n" + std::string(key) + "=";
  const std::size_t at = text.find(start);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + start.size());
  return std::string(rest.substr(0, rest.find('\n')));
}

Result<std::optional<std::string>> ReadSessionFile(const std::string& path) {
  auto text = ReadConfigFile(path);
  if (text.ok() && *text && !(*text)->starts_with(kMarker)) {
    return Fail(ErrorKind::kInvalidArgument, "{} was not written by 'tandem enable'; it stays as it is.", path);
  }
  return text;
}

Result<void> WriteSessionFile(const std::string& path, std::string_view text) {
  if (auto known = ReadSessionFile(path); !known.ok()) return std::move(known).error();
  return ReplaceConfigFile(path, text);
}

Result<bool> RemoveSessionFile(const std::string& path) {
  const auto known = ReadSessionFile(path);
  if (!known.ok()) return known.error();
  std::error_code error;
  const bool removed = std::filesystem::remove(path, error);
  if (error) return Fail(ErrorKind::kIo, "{} cannot be removed: {}.", path, error.message());
  return removed;
}

}  // namespace tandem::config
