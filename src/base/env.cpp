#include "base/env.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <sys/auxv.h>

namespace tandem {

bool IsSecureExecution() { return getauxval(AT_SECURE) != 0; }

std::optional<std::string> EnvString(const char* name) {
  const char* const value = IsSecureExecution() ? nullptr : std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

Result<std::optional<std::int64_t>> EnvInteger(const char* name, IntegerRange range) {
  const auto text = EnvString(name);
  if (!text) return std::optional<std::int64_t>();
  std::int64_t value = 0;
  const char* const end = text->data() + text->size();
  const auto [parsed_end, error] = std::from_chars(text->data(), end, value);
  if (error == std::errc::invalid_argument || parsed_end != end) {
    return Fail(ErrorKind::kInvalidArgument, "{}='{}' is not a whole number.", name, *text);
  }
  if (error == std::errc::result_out_of_range || value < range.min || value > range.max) {
    return Fail(ErrorKind::kInvalidArgument, "{}={} is not between {} and {}.", name, *text, range.min, range.max);
  }
  return std::optional(value);
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
