// Environment variables with checked type and range. An empty variable counts as unset. In a secure execution all count as
// unset.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace tandem {

// True if the program has more rights than its user: set-id or file capabilities (AT_SECURE). The user controls its
// environment, so Tandem ignores it.
[[nodiscard]] bool IsSecureExecution();

[[nodiscard]] std::optional<std::string> EnvString(const char* name);

// Accepts 1, true, yes, on and 0, false, no, off. Nothing when the variable is unset; kInvalidArgument for any other value.
[[nodiscard]] Result<std::optional<bool>> EnvFlag(const char* name);

}  // namespace tandem
