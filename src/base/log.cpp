#include "base/log.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fcntl.h>

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "base/env.h"
#include "base/log_listener.h"
#include "base/printable.h"
#include "base/write_all.h"

namespace tandem {
namespace {

// Below kOff: TANDEM_LOG is not yet read. Constant initialization lets a log line before main work.
constexpr int kUnread = -1;
constinit std::atomic<int> g_level{kUnread};
constinit std::atomic<LogListener> g_listener{nullptr};

LogListener ListenerOf(LogLevel level) noexcept {
  return level == LogLevel::kError || level == LogLevel::kWarn ? g_listener.load(std::memory_order_relaxed) : nullptr;
}

struct Logger {
  std::mutex mutex;
  std::shared_ptr<spdlog::logger> sink;  // null while off
};

// Never destroyed: threads and destructors may log while the process exits.
Logger& TheLogger() {
  alignas(Logger) static unsigned char storage[sizeof(Logger)];
  static auto* const logger = new (storage) Logger;
  return *logger;
}

spdlog::level::level_enum ToSpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kError: return spdlog::level::err;
    case LogLevel::kWarn: return spdlog::level::warn;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kOff: break;
  }
  return spdlog::level::off;
}

// Appends to a file without ever waiting for its reader. Lines that do not fit a full pipe are lost.
class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  FileSink(UniqueFd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    static_cast<void>(WriteAll(file_, std::string_view(line.data(), line.size()), path_));
  }
  void flush_() override {}

  const UniqueFd file_;
  const std::string path_;
};

Result<UniqueFd> OpenLogFile(const std::string& path) {
  std::error_code ignored;  // the open below reports the failure
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666));
  if (file.valid()) return file;
  const char* const why = errno == ENXIO ? "it has no reader" : std::strerror(errno);
  return Fail(ErrorKind::kIo, "Log file '{}' cannot be opened: {}.", path, why);
}

// Null when the level is kOff.
Result<std::shared_ptr<spdlog::logger>> MakeSink(const LogSettings& settings) {
  if (settings.level == LogLevel::kOff) return std::shared_ptr<spdlog::logger>();
  spdlog::sink_ptr sink;
  if (settings.file.empty()) {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  } else {
    auto file = OpenLogFile(settings.file);
    if (!file.ok()) return std::move(file).error();
    sink = std::make_shared<FileSink>(*std::move(file), settings.file);
  }
  // A private logger, not one of the registry: the process may use spdlog itself.
  auto logger = std::make_shared<spdlog::logger>("tandem", std::move(sink));
  logger->set_level(spdlog::level::debug);
  logger->flush_on(spdlog::level::debug);  // the process may be killed at any time
  logger->set_pattern("[%Y-%m-%d %H:%M:%S.%e] [%n] [%l] [%t] %v");
  logger->set_error_handler([](const std::string&) {});
  return logger;
}

void Install(const LogSettings& settings, std::shared_ptr<spdlog::logger> sink) {
  Logger& logger = TheLogger();
  const std::lock_guard guard(logger.mutex);
  logger.sink = std::move(sink);
  g_level.store(static_cast<int>(settings.level), std::memory_order_relaxed);
}

// An error in TANDEM_LOG goes to standard error as a warning; the program runs on.
void ReadEnvironment() noexcept {
  static std::once_flag once;
  try {
    std::call_once(once, [] {
      const auto settings = ParseLogSettings(EnvString("TANDEM_LOG").value_or(""));
      const auto configured = settings.ok() ? ConfigureLog(*settings) : Result<void>(settings.error());
      if (configured.ok()) return;
      static_cast<void>(ConfigureLog({LogLevel::kWarn, ""}));
      Log(LogLevel::kWarn, "TANDEM_LOG is ignored. {}", configured.error().message);
    });
  } catch (...) {
    g_level.store(static_cast<int>(LogLevel::kOff), std::memory_order_relaxed);
  }
}

Result<LogLevel> ParseLevel(std::string_view text) {
  if (text.empty() || text == "off") return LogLevel::kOff;
  if (text == "error") return LogLevel::kError;
  if (text == "warn") return LogLevel::kWarn;
  if (text == "info") return LogLevel::kInfo;
  if (text == "debug") return LogLevel::kDebug;
  return Fail(ErrorKind::kInvalidArgument, "Log level '{}' is not one of off, error, warn, info, debug.", text);
}

}  // namespace

Result<LogSettings> ParseLogSettings(std::string_view text) {
  constexpr std::string_view kFileOption = "file=";
  const std::size_t comma = text.find(',');
  const auto level = ParseLevel(text.substr(0, comma));
  if (!level.ok()) return level.error();
  if (comma == std::string_view::npos) return LogSettings{*level, ""};
  const std::string_view option = text.substr(comma + 1);  // the rest: a path may hold commas
  if (!option.starts_with(kFileOption) || option.size() == kFileOption.size()) {
    return Fail(ErrorKind::kInvalidArgument, "Log option '{}' is not file=PATH.", option);
  }
  return LogSettings{*level, std::string(option.substr(kFileOption.size()))};
}

Result<void> ConfigureLog(const LogSettings& settings) {
  auto sink = MakeSink(settings);
  if (!sink.ok()) return std::move(sink).error();
  Install(settings, *std::move(sink));
  return {};
}

bool LogEnabled(LogLevel level) noexcept {
  int enabled = g_level.load(std::memory_order_relaxed);
  if (enabled == kUnread) {
    ReadEnvironment();
    enabled = g_level.load(std::memory_order_relaxed);
  }
  return level != LogLevel::kOff && (static_cast<int>(level) <= enabled || ListenerOf(level) != nullptr);
}

void SetLogListener(LogListener listener) noexcept { g_listener.store(listener, std::memory_order_relaxed); }

void internal::WriteLog(LogLevel level, fmt::string_view format, fmt::format_args args) noexcept {
  try {
    std::shared_ptr<spdlog::logger> sink;
    {
      Logger& logger = TheLogger();
      const std::lock_guard guard(logger.mutex);
      sink = logger.sink;
    }
    const std::string line = Escaped(fmt::vformat(format, args));
    if (const LogListener listener = ListenerOf(level)) listener(line);
    const WriteSignalsHeld held;
    if (sink && static_cast<int>(level) <= g_level.load(std::memory_order_relaxed)) sink->log(ToSpdlogLevel(level), line);
  } catch (...) {  // a line that cannot be written is lost
  }
}

}  // namespace tandem
