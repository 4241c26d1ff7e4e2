// The layer's state for the whole process. Never destroyed: the program's threads may call the layer until the very end.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "base/thread.h"
#include "config/settings.h"
#include "layer/exit_writer.h"
#include "status/frame_log.h"
#include "status/live_folder.h"
#include "status/stats.h"
#include "system/system.h"

namespace tandem::layer {

// Reads the settings; the error is the reason why the layer steps aside. kUnsupported: the user or the system disabled the
// layer.
[[nodiscard]] Result<config::Settings> SettingsOfProcess(config::ApplicationNames names);

// Thread-safe.
class Process {
 public:
  static Process& Get();
  // The program's own names, which rules of policy may match. They count when they come before the first Get(), whose settings
  // hold for the whole process. `application` may be null.
  static void NameApplication(const VkApplicationInfo* application);

  // True in a child that was forked and did not exec. Our threads do not exist there, so nothing of ours may be waited for or
  // destroyed.
  [[nodiscard]] bool inert() const { return inert_.load(std::memory_order_relaxed); }

  // The result of SettingsOfProcess(), read once, with the files of this process in place of patterns.
  [[nodiscard]] const Result<config::Settings>& settings() const { return settings_; }

  // Adds a user of the one System, which the first call creates. Each success needs one ReleaseSystem().
  Result<system::System*> AcquireSystem();
  // The last call destroys the System and writes the figures to the file that the settings name.
  void ReleaseSystem();

  [[nodiscard]] const system::RenderLosses& render_losses() const { return *render_losses_; }
  [[nodiscard]] status::StatsBook& stats() { return stats_; }
  [[nodiscard]] status::FrameLog& frame_log() { return frame_log_; }
  [[nodiscard]] status::FrameLog& trace() { return trace_; }
  // The file behind `tandem status`; it exists from the first swap chain until the System is destroyed.
  [[nodiscard]] status::LiveFile& live() { return live_; }

 private:
  Process();
  static void AtExit();
  // Called on exit_'s thread.
  void WriteAtExit() noexcept;

  std::atomic<bool> inert_{false};
  const Result<config::Settings> settings_;
  status::StatsBook stats_;
  status::FrameLog frame_log_;
  status::FrameLog trace_;
  status::LiveFile live_{status::LiveFolder()};
  ExitWriter exit_;
  Mutex mutex_;
  const std::shared_ptr<system::RenderLosses> render_losses_ = std::make_shared<system::RenderLosses>();
  std::unique_ptr<system::System> system_ TANDEM_GUARDED_BY(mutex_);
  int users_ TANDEM_GUARDED_BY(mutex_) = 0;
};

}  // namespace tandem::layer
