#include "kernel/submit/allocation_uses.h"

#include <fmt/core.h>

namespace tandem::kernel {

Allocation* AllocationUses::Begin(const std::atomic<Allocation*>& surface) {
  const WorkLock lock(monitor_);
  Allocation* const allocation = surface.load(std::memory_order_acquire);
  if (allocation != nullptr) allocation->uses.fetch_add(1, std::memory_order_relaxed);
  return allocation;
}

void AllocationUses::End(Allocation& allocation) {
  const WorkLock lock(monitor_);
  if (allocation.EndUse()) monitor_.Notify();
}

bool AllocationUses::Wait(const Allocation& allocation, std::int64_t timeout_ns) {
  const WorkLock lock(monitor_);
  flips_.Collect();
  const std::int64_t deadline_ns = monitor_.adapter().clock().NowNs() + timeout_ns;
  while (allocation.uses.load(std::memory_order_acquire) != 0) {
    if (!monitor_.adapter().alive() || !monitor_.Sleep(deadline_ns)) return false;
    flips_.Collect();
  }
  return true;
}

void AllocationUses::Await(const Allocation& allocation) {
  Adapter& adapter = monitor_.adapter();
  while (!Wait(allocation, kFlipTimeoutNs)) {
    if (!adapter.alive()) return;
    const WorkLock lock(monitor_);
    if (dispatcher_.IsWorking()) continue;
    adapter.ReportViolation("Flip.Timeout",
                            fmt::format("An allocation was still in use after {} s.", kFlipTimeoutNs / 1'000'000'000));
  }
}

}  // namespace tandem::kernel
