#include "layer/process.h"

#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#include <pthread.h>
#include <unistd.h>

#include "base/env.h"
#include "base/log.h"
#include "config/file_pattern.h"
#include "config/setting_table.h"
#include "layer/dispatch.h"
#include "status/live_process.h"

namespace tandem::layer {
namespace {

// Invalid settings produce no figures, but a reason.
bool WritesAtExit(const Result<config::Settings>& settings) {
  if (settings.ok()) {
    return settings->stats || !settings->stats_json.empty() || !settings->frame_log.empty() || !settings->trace.empty();
  }
  const auto wanted = EnvFlag("TANDEM_STATS");
  return wanted.ok() && wanted->value_or(false);
}

// Gives the figures this process's own files.
Result<config::Settings> WithOwnFiles(Result<config::Settings> settings) {
  if (!settings.ok()) return settings;
  for (std::string* const file : {&settings->stats_json, &settings->frame_log, &settings->trace}) {
    if (!file->empty()) *file = config::FileOfProgram(*file, getpid(), status::ExecutableName());
  }
  return settings;
}

// Never destroyed, as Process.
struct NamesOfApplication {
  static NamesOfApplication& Get() {
    static auto* const names = new NamesOfApplication;
    return *names;
  }
  config::ApplicationNames Read() {
    const MutexLock lock(mutex);
    return names;
  }

  Mutex mutex;
  config::ApplicationNames names TANDEM_GUARDED_BY(mutex);
};

}  // namespace

Result<config::Settings> SettingsOfProcess(config::ApplicationNames names) {
  if (IsSecureExecution()) return Fail(ErrorKind::kUnsupported, "The program has more rights than its user.");
  if (!keys_are_handles && EnvString(config::kFormVariable) == config::ToString(config::ProgramForm::kDriver)) {
    return Fail(ErrorKind::kUnsupported, "The program runs through Tandem's driver.");
  }
  // The loader knows this variable for a layer; nobody else looks at it for a driver.
  if (keys_are_handles && EnvString("TANDEM_DISABLE")) return Fail(ErrorKind::kUnsupported, "TANDEM_DISABLE is set.");
  return config::ReadSettings(std::move(names));
}

Process& Process::Get() {
  alignas(Process) static unsigned char storage[sizeof(Process)];
  static auto* const process = new (storage) Process;
  return *process;
}

void Process::NameApplication(const VkApplicationInfo* application) {
  if (application == nullptr) return;
  const auto text = [](const char* name) { return std::string(name == nullptr ? "" : name); };
  NamesOfApplication& names = NamesOfApplication::Get();
  const MutexLock lock(names.mutex);
  names.names = {.application = text(application->pApplicationName), .engine = text(application->pEngineName)};
}

Process::Process() : settings_(WithOwnFiles(SettingsOfProcess(NamesOfApplication::Get().Read()))) {
  // kUnsupported: the user or the system disabled the layer.
  const bool wanted = !settings_.ok() && settings_.error().kind == ErrorKind::kUnsupported;
  if (!settings_.ok()) stats_.StepAside(settings_.error().message, wanted ? LogLevel::kInfo : LogLevel::kError);
  if (WritesAtExit(settings_)) exit_.Start([this] { WriteAtExit(); });
  std::atexit(&Process::AtExit);
  pthread_atfork(nullptr, nullptr, [] { Get().inert_.store(true, std::memory_order_relaxed); });
}

void Process::AtExit() {
  Process& process = Get();
  if (process.inert()) return;
  process.live_.Remove();
  process.exit_.Run();
}

void Process::WriteAtExit() noexcept {
  if (!settings_.ok()) return stats_.PrintSummary();
  if (!settings_->stats_json.empty()) stats_.WriteJson(settings_->stats_json, status::Occasion::kExit);
  frame_log_.Publish();
  trace_.Publish();
  if (settings_->stats) stats_.PrintSummary();
}

Result<system::System*> Process::AcquireSystem() {
  if (!settings_.ok()) return settings_.error();
  const MutexLock lock(mutex_);
  if (!system_) {
    // Below a layer the loader has opened all drivers.
    const auto source = keys_are_handles ? system::AdapterSource::kKept : system::AdapterSource::kDrivers;
    auto created = system::System::Create(*settings_, source, render_losses_);
    if (!created.ok()) return std::move(created).error();
    system_ = *std::move(created);
    stats_.SetAdapters(system_->render_adapter(), system_->display_adapter());
  }
  ++users_;
  return system_.get();
}

void Process::ReleaseSystem() {
  const MutexLock lock(mutex_);
  if (--users_ > 0) return;
  system_.reset();
  live_.Remove();
  if (!settings_->stats_json.empty()) stats_.WriteJson(settings_->stats_json, status::Occasion::kSystemGone);
  frame_log_.Publish();
  trace_.Publish();
}

}  // namespace tandem::layer
