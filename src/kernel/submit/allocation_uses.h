// The end of the uses of an allocation by packets and flips.
#pragma once

#include <atomic>
#include <cstdint>

#include "kernel/memory/allocation.h"
#include "kernel/submit/dispatcher.h"
#include "kernel/submit/flip_ledger.h"
#include "kernel/submit/work_monitor.h"

namespace tandem::kernel {

// One per adapter. Threads: any, PASSIVE_LEVEL.
class AllocationUses {
 public:
  // All three outlive the object.
  AllocationUses(WorkMonitor& monitor, FlipLedger& flips, Dispatcher& dispatcher)
      : monitor_(monitor), flips_(flips), dispatcher_(dispatcher) {}
  AllocationUses(const AllocationUses&) = delete;
  AllocationUses& operator=(const AllocationUses&) = delete;

  // A use of the allocation that `surface` names begins. No flip is issued meanwhile, so a surface that is shown is still there.
  // Null: it names none.
  [[nodiscard]] Allocation* Begin(const std::atomic<Allocation*>& surface);
  // One use, counted by the caller itself or by Begin(), is over.
  void End(Allocation& allocation);
  // Waits until no packet and no flip names the allocation. False after `timeout_ns`, or when the adapter is stopped.
  [[nodiscard]] bool Wait(const Allocation& allocation, std::int64_t timeout_ns);
  // Waits while any engine is busy plus kFlipTimeoutNs; then stops the adapter.
  void Await(const Allocation& allocation);

 private:
  WorkMonitor& monitor_;
  FlipLedger& flips_;
  Dispatcher& dispatcher_;
};

}  // namespace tandem::kernel
