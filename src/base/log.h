// The library's log. It is silent unless TANDEM_LOG=off|error|warn|info|debug[,file=PATH] enables it. The default destination
// is standard error. Control characters are escaped. Thread-safe, never throws, usable before main and at exit.
#pragma once

#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/result.h"

namespace tandem {

enum class LogLevel {
  kOff,
  kError,  // a requested operation failed
  kWarn,   // an operation succeeded with a worse result than possible
  kInfo,   // decisions, once per object: path, adapter and the reason
  kDebug,  // anything else; may be many lines per frame
};

struct LogSettings {
  LogLevel level = LogLevel::kOff;
  std::string file;  // the log is appended to it; empty: standard error
};

// Parses the value of TANDEM_LOG. kInvalidArgument for an unknown level or option.
[[nodiscard]] Result<LogSettings> ParseLogSettings(std::string_view text);

// Replaces the current settings, TANDEM_LOG's included. kIo when the file cannot be opened; the settings then stay unchanged.
Result<void> ConfigureLog(const LogSettings& settings);

// Cheap: one relaxed load after the first call, which reads TANDEM_LOG.
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
