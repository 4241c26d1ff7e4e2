// The lock over the work of one adapter, and the sleep of threads that wait for a change of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/condition.h"
#include "base/thread_annotations.h"
#include "kernel/adapter/adapter.h"

namespace tandem::kernel {

class TANDEM_CAPABILITY("lock") WorkRole {};
// Held while a WorkMonitor is locked. Clang checks it across the classes that share the monitor; it does not tell adapters apart.
inline WorkRole work_lock;

// One per adapter. The scheduler and the classes that it consists of keep their state under this lock. No thread holds it across
// a wait without limit, or across a call that waits at the gate (levels 0 to 3): the DPC thread takes it.
class WorkMonitor {
 public:
  // The adapter outlives the monitor.
  explicit WorkMonitor(Adapter& adapter) : adapter_(adapter) {}
  WorkMonitor(const WorkMonitor&) = delete;
  WorkMonitor& operator=(const WorkMonitor&) = delete;

  [[nodiscard]] Adapter& adapter() const { return adapter_; }

  // WorkLock locks for a scope. A holder unlocks in between to call the driver.
  void Lock() TANDEM_ACQUIRE(work_lock) TANDEM_NO_THREAD_SAFETY_ANALYSIS { mutex_.lock(); }
  void Unlock() TANDEM_RELEASE(work_lock) TANDEM_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }

  // Sleeps until Notify(), `deadline_ns` at most and never long: the caller looks again. False when the deadline has passed. The
  // lock is given up meanwhile.
  bool Sleep(std::int64_t deadline_ns) TANDEM_REQUIRES(work_lock);
  // A packet, an allocation, a flip or a node became free: all sleepers look again.
  void Notify() TANDEM_REQUIRES(work_lock) {
    if (sleepers_ != 0) changed_.NotifyAll();
  }

  // The adapter goes: nobody blocks for a packet any more. Sleepers learn it from the next Notify().
  void MarkLost() { lost_.store(true, std::memory_order_release); }
  [[nodiscard]] bool lost() const { return lost_.load(std::memory_order_acquire); }
  // The adapter goes, or was stopped.
  [[nodiscard]] bool gone() const { return lost() || !adapter_.alive(); }

 private:
  Adapter& adapter_;
  std::mutex mutex_;
  Condition changed_;
  std::uint32_t sleepers_ TANDEM_GUARDED_BY(work_lock) = 0;
  std::atomic<bool> lost_{false};
};

class TANDEM_SCOPED_CAPABILITY WorkLock {
 public:
  explicit WorkLock(WorkMonitor& monitor) TANDEM_ACQUIRE(work_lock) : monitor_(monitor) { monitor_.Lock(); }
  ~WorkLock() TANDEM_RELEASE() { monitor_.Unlock(); }
  WorkLock(const WorkLock&) = delete;
  WorkLock& operator=(const WorkLock&) = delete;

 private:
  WorkMonitor& monitor_;
};

}  // namespace tandem::kernel
