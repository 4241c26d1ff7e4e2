// Environment variables, with their type and range checked. A variable that is set and empty counts as not set, and none is set
// in a secure execution.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace tandem {

// True for a program with more rights than its user has: set-id, or with file capabilities (AT_SECURE). Its environment is the
// user's, so nothing in it is believed.
[[nodiscard]] bool IsSecureExecution();

[[nodiscard]] std::optional<std::string> EnvString(const char* name);

struct IntegerRange {
  std::int64_t min;
  std::int64_t max;  // both ends belong to it
};

// A decimal number. Nothing when not set; kInvalidArgument, naming variable, value and limits, when it is no number or out of
// range.
[[nodiscard]] Result<std::optional<std::int64_t>> EnvInteger(const char* name, IntegerRange range);

// 1, true, yes, on or 0, false, no, off. Nothing when not set; kInvalidArgument for anything else.
[[nodiscard]] Result<std::optional<bool>> EnvFlag(const char* name);

}  // namespace tandem
