// What the layer knows once for the whole process. Never destroyed: threads of the program may call us until the very end.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/thread.h"
#include "config/settings.h"
#include "layer/exit_writer.h"
#include "status/frame_log.h"
#include "status/live_folder.h"
#include "status/stats.h"
#include "system/system.h"

namespace tandem::layer {

// Reads them; the error is why the layer steps aside. kUnsupported: because the user or the system wants it so.
[[nodiscard]] Result<config::Settings> SettingsOfProcess();

// Thread-safe.
class Process {
 public:
  static Process& Get();

  // True in a child that was forked and did not exec: our threads are not there, so nothing of ours may be waited for or
  // destroyed.
  [[nodiscard]] bool inert() const { return inert_.load(std::memory_order_relaxed); }

  // SettingsOfProcess(), read once.
  [[nodiscard]] const Result<config::Settings>& settings() const { return settings_; }

  // One user more of the one System, made for the first; each success is paired with ReleaseSystem().
  Result<system::System*> AcquireSystem();
  // The last one destroys it. The figures are written to the file that the settings name.
  void ReleaseSystem();

  [[nodiscard]] status::StatsBook& stats() { return stats_; }
  [[nodiscard]] status::FrameLog& frame_log() { return frame_log_; }
  // What `tandem status` reads; there from the first swap chain on, gone with the System.
  [[nodiscard]] status::LiveFile& live() { return live_; }

 private:
  Process();
  static void AtExit();
  // By the thread of exit_.
  void WriteAtExit() noexcept;

  std::atomic<bool> inert_{false};
  const Result<config::Settings> settings_;
  status::StatsBook stats_;
  status::FrameLog frame_log_;
  status::LiveFile live_{status::LiveFolder()};
  ExitWriter exit_;
  Mutex mutex_;
  std::unique_ptr<system::System> system_ TANDEM_GUARDED_BY(mutex_);
  int users_ TANDEM_GUARDED_BY(mutex_) = 0;
};

}  // namespace tandem::layer
