#include "layer/process.h"

#include <cstdlib>
#include <new>
#include <utility>

#include <pthread.h>

#include "base/env.h"

namespace tandem::layer {
namespace {

Result<coproc::Settings> SettingsOfProcess() {
  if (!IsSecureExecution()) return coproc::ReadSettings();
  return Fail(ErrorKind::kUnsupported, "The program has rights that its user has not.");
}

}  // namespace

Process& Process::Get() {
  alignas(Process) static unsigned char storage[sizeof(Process)];
  static auto* const process = new (storage) Process;
  return *process;
}

Process::Process() : settings_(SettingsOfProcess()) {
  if (!settings_.ok()) stats_.StepAside(settings_.error().message);
  std::atexit(&Process::AtExit);
  pthread_atfork(nullptr, nullptr, [] { Get().inert_.store(true, std::memory_order_relaxed); });
}

void Process::AtExit() {
  Process& process = Get();
  if (process.inert()) return;
  process.live_.Remove();
  if (!process.settings_.ok()) {
    const auto wanted = EnvFlag("TANDEM_STATS");
    if (wanted.ok() && wanted->value_or(false)) process.stats_.PrintSummary();
    return;
  }
  const coproc::Settings& settings = *process.settings_;
  if (!settings.stats_json.empty()) process.stats_.WriteJson(settings.stats_json, Occasion::kExit);
  process.frame_log_.Publish();
  if (settings.stats) process.stats_.PrintSummary();
}

Result<compose::System*> Process::AcquireSystem() {
  if (!settings_.ok()) return settings_.error();
  const MutexLock lock(mutex_);
  if (!system_) {
    auto created = compose::System::Create(*settings_);
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
  if (!settings_->stats_json.empty()) stats_.WriteJson(settings_->stats_json, Occasion::kSystemGone);
  frame_log_.Publish();
}

}  // namespace tandem::layer
