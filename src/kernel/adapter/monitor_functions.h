// DXGK_MONITOR_INTERFACE: what a driver asks about the monitors of its adapter.
#pragma once

#include <map>
#include <memory>

#include "base/thread.h"
#include "kernel/adapter/monitor_modes.h"

#include <dispmprt.h>

namespace tandem::kernel {

// The mode sets that a driver acquired and has not released: copies, which it may change. Threads: any.
class AcquiredMonitorModes {
 public:
  [[nodiscard]] D3DKMDT_HMONITORSOURCEMODESET Acquire(const std::vector<D3DKMDT_MONITOR_SOURCE_MODE>& modes);
  // False: the driver has no such set.
  bool Release(D3DKMDT_HMONITORSOURCEMODESET set);

 private:
  Mutex mutex_;
  std::map<D3DKMDT_HMONITORSOURCEMODESET, std::unique_ptr<MonitorModes>> sets_ TANDEM_GUARDED_BY(mutex_);
};

// DxgkCbQueryMonitorInterface. Frequency ranges and descriptors are STATUS_NOT_SUPPORTED; there are no additional modes.
void FillMonitorCallback(DXGKRNL_INTERFACE& callbacks);

}  // namespace tandem::kernel
