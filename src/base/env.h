// Environment variables, with their type and range checked. A variable that is set and empty counts as not set, and none is set
// in a secure execution.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace tandem {

// True for a program with more rights than its user has: set-id, or with file capabilities (AT_SECURE). Its environment is the
// user's, so nothing in it is believed.
[[nodiscard]] bool IsSecureExecution();

[[nodiscard]] std::optional<std::string> EnvString(const char* name);

// 1, true, yes, on or 0, false, no, off. Nothing when not set; kInvalidArgument for anything else.
[[nodiscard]] Result<std::optional<bool>> EnvFlag(const char* name);

}  // namespace tandem
