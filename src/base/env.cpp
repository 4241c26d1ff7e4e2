#include "base/env.h"

#include <array>
#include <cstdlib>
#include <string_view>

#include <sys/auxv.h>

namespace tandem {

bool IsSecureExecution() { return getauxval(AT_SECURE) != 0; }

std::optional<std::string> EnvString(const char* name) {
  const char* const value = IsSecureExecution() ? nullptr : std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

Result<std::optional<bool>> EnvFlag(const char* name) {
  static constexpr std::array<std::string_view, 4> kTrue = {"1", "true", "yes", "on"};
  static constexpr std::array<std::string_view, 4> kFalse = {"0", "false", "no", "off"};
  const auto text = EnvString(name);
  if (!text) return std::optional<bool>();
  for (const std::string_view word : kTrue) {
    if (*text == word) return std::optional(true);
  }
  for (const std::string_view word : kFalse) {
    if (*text == word) return std::optional(false);
  }
  return Fail(ErrorKind::kInvalidArgument, "{}='{}' is not one of 1, true, yes, on, 0, false, no, off.", name, *text);
}

}  // namespace tandem
