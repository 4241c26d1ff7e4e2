// The end of a present that DxgkDdiPresentDisplayOnly answered with STATUS_PENDING.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/condition.h"
#include "base/thread.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

// One present at a time. Threads: Begin() and Await() are the presenting thread's, Report() is the driver's, up to
// DISPATCH_LEVEL.
class PresentProgress {
 public:
  // Forgets reports about presents before.
  void Begin() {
    const MutexLock lock(mutex_);
    progress_.reset();
  }
  void Report(const DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS& progress) {
    {
      const MutexLock lock(mutex_);
      progress_ = progress.ProgressId;
    }
    reported_.NotifyAll();
  }
  // Nothing: the driver reported nothing until `deadline_ns` of `clock`.
  [[nodiscard]] std::optional<DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID> Await(Clock& clock, std::int64_t deadline_ns) {
    MutexLock lock(mutex_);
    while (!progress_ && clock.NowNs() < deadline_ns) clock.WaitUntil(lock.native(), reported_, deadline_ns);
    return progress_;
  }

 private:
  Mutex mutex_;
  Condition reported_;
  std::optional<DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID> progress_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::kernel
