// Statuses of children that the driver indicates, on their way to somebody who may wait.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/condition.h"
#include "base/result.h"
#include "base/thread.h"

#include <dispmprt.h>

namespace tandem::kernel {

// One per adapter, with a thread that sleeps until something is indicated.
class ChildStatuses {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    // The driver indicated a status of this child and type since the last call. PASSIVE_LEVEL, the thread's.
    virtual void OnChildStatus(ULONG child, DXGK_CHILD_STATUS_TYPE type) = 0;
  };

  ChildStatuses() = default;
  ~ChildStatuses() { Stop(); }
  ChildStatuses(const ChildStatuses&) = delete;
  ChildStatuses& operator=(const ChildStatuses&) = delete;

  // Statuses of these children are taken from now on. Once.
  [[nodiscard]] Result<void> Start(const std::vector<ULONG>& children, const std::string& thread_name);
  // Nothing is taken any more, and no listener is called.
  void Stop();
  // DxgkCbIndicateChildStatus. Before Start() and after Stop() nothing is kept: the monitors are about to be read, or gone.
  // Several listener waits for it. STATUS_INVALID_PARAMETER for an unknown child, STATUS_NOT_SUPPORTED for another type than
  // connection and rotation. Any thread, up to DISPATCH_LEVEL.
  [[nodiscard]] NTSTATUS Indicate(const DXGK_CHILD_STATUS& status);
  // The one listener; null: none. When it returns, the one before is not called any more. Not from a listener.
  void SetListener(Listener* listener);

 private:
  struct Child {
    ULONG id = 0;
    bool connection = false;  // indicated, and not yet told
    bool rotation = false;
  };
  void Run();
  [[nodiscard]] bool TakeNext(ULONG& child, DXGK_CHILD_STATUS_TYPE& type) TANDEM_REQUIRES(mutex_);

  Mutex mutex_;
  Condition changed_;
  std::vector<Child> children_ TANDEM_GUARDED_BY(mutex_);
  bool started_ TANDEM_GUARDED_BY(mutex_) = false;
  Listener* listener_ TANDEM_GUARDED_BY(mutex_) = nullptr;
  bool calling_ TANDEM_GUARDED_BY(mutex_) = false;
  bool stops_ TANDEM_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace tandem::kernel
