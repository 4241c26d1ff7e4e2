// What the library tells people who ask. Silent unless TANDEM_LOG=off|error|warn|info|debug[,file=PATH] says otherwise; without a
// file it goes to standard error. Control characters are escaped. Thread-safe, never throws, usable before main and at exit.
#pragma once

#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/result.h"

namespace tandem {

enum class LogLevel {
  kOff,
  kError,  // something that was asked for did not happen
  kWarn,   // it happened in a worse way than it could have
  kInfo,   // decisions, once for each object: which path, which adapter, and why
  kDebug,  // anything else; may be many lines per frame
};

struct LogSettings {
  LogLevel level = LogLevel::kOff;
  std::string file;  // appended to; empty for standard error
};

// Reads the value of TANDEM_LOG. kInvalidArgument for a level or an option that does not exist.
[[nodiscard]] Result<LogSettings> ParseLogSettings(std::string_view text);

// Replaces the settings, and with that TANDEM_LOG. kIo when the file cannot be opened; the settings stay as they were then.
Result<void> ConfigureLog(const LogSettings& settings);

// Cheap: one relaxed load once the first call has read TANDEM_LOG.
[[nodiscard]] bool LogEnabled(LogLevel level) noexcept;

namespace internal {
void WriteLog(LogLevel level, fmt::string_view format, fmt::format_args args) noexcept;
}  // namespace internal

// Log(LogLevel::kInfo, "Path {}: {}.", path, reason); arguments are formatted only when the level is enabled.
template <class... Args>
void Log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) noexcept {
  if (LogEnabled(level)) internal::WriteLog(level, format, fmt::make_format_args(args...));
}

}  // namespace tandem
