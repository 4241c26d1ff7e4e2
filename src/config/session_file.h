// The file of environment.d(5) that switches Tandem on for every program of a session.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tandem::config {

// Names the manifest of the sleeping driver that programs without Tandem see.
inline constexpr char kShownAsleepVariable[] = "TANDEM_SHOW_ASLEEP";

enum class SessionScope { kUser, kSystem };

// ~/.config/environment.d/60-tandem.conf or /etc/environment.d/60-tandem.conf. kNotFound without a home folder.
[[nodiscard]] Result<std::string> SessionFilePath(SessionScope scope);

struct SessionChoice {
  std::string data_directory;         // holds the manifests of layer and driver
  std::vector<std::string> sleeping;  // file names of driver manifests that only programs served by Tandem open
  std::string shown;                  // the manifest among them whose devices other programs see; empty: none
};

// kInvalidArgument for a name with characters that environment.d gives a meaning.
[[nodiscard]] Result<std::string> SessionFileText(const SessionChoice& choice);

// The values that stand in a session file of ours behind `key`; nothing if it lacks the key.
[[nodiscard]] std::optional<std::string> SessionValue(std::string_view text, std::string_view key);

// The text of the file; nothing if there is none. kInvalidArgument for a file that Tandem did not write; kIo.
[[nodiscard]] Result<std::optional<std::string>> ReadSessionFile(const std::string& path);
// Errors: those of ReadSessionFile(), which protect a file of somebody else.
Result<void> WriteSessionFile(const std::string& path, std::string_view text);
// False if there was no file. Errors as for WriteSessionFile().
Result<bool> RemoveSessionFile(const std::string& path);

}  // namespace tandem::config
