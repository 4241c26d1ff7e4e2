// Brings allocations in for what waits for them: packets whose turn it is, flips, locks and MakeResident.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "base/condition.h"
#include "base/result.h"
#include "base/thread.h"
#include "kernel/memory/residency.h"
#include "kernel/submit/fence.h"
#include "kernel/submit/scheduler.h"

namespace tandem::kernel {

// A MakeResident that the pager finishes. Each allocation counts one of Allocation::uses for the request.
struct ResidencyRequest {
  std::vector<Allocation*> allocations;
  std::shared_ptr<Fence> fence;  // gets `value` when they are resident, or could not become it
  std::uint64_t value = 0;
  DeviceCondition* lost_without = nullptr;  // the device that is lost when they cannot become resident; null: none is
};

// One per adapter, with a thread that sleeps as long as everything is resident. A packet that finds no memory within
// kMemoryWaitNs is refused; those of other contexts go on meanwhile. Threads: any, PASSIVE_LEVEL unless said.
class Pager final : public MemoryWaiters::Host {
 public:
  // All three outlive the pager. kLimit without threads.
  [[nodiscard]] static Result<std::unique_ptr<Pager>> Create(Adapter& adapter, Scheduler& scheduler, Residency& residency);
  // No context is left.
  ~Pager() override;

  // Blocks until the allocation is resident, and pins it: Unpin as often. STATUS_GRAPHICS_NO_VIDEO_MEMORY after kMemoryWaitNs,
  // STATUS_NO_MEMORY, STATUS_DEVICE_REMOVED.
  [[nodiscard]] NTSTATUS Pin(Allocation& allocation);
  void Unpin(Allocation& allocation);

  // One request; that it waits here cannot fail any more.
  void BringIn(std::list<ResidencyRequest> request) noexcept;

  [[nodiscard]] NTSTATUS CheckFits(std::span<Allocation* const> allocations) override;
  [[nodiscard]] bool CanFit(std::span<Allocation* const> allocations) override { return residency_.CanFit(allocations); }
  void OnMemoryWanted() override;

 private:
  Pager(Adapter& adapter, Scheduler& scheduler, Residency& residency)
      : adapter_(adapter), scheduler_(scheduler), residency_(residency) {}
  void Run();
  // One try for each that waits. True when some have to wait on.
  bool ServeContexts();
  void ServeRequests();
  void Finish(const ResidencyRequest& request);

  Adapter& adapter_;
  Scheduler& scheduler_;
  Residency& residency_;
  std::vector<MemoryWaiters::Waiter> waiters_;  // the thread's
  Mutex mutex_;
  Condition wake_;
  bool has_work_ TANDEM_GUARDED_BY(mutex_) = false;
  bool stops_ TANDEM_GUARDED_BY(mutex_) = false;
  std::list<ResidencyRequest> requests_ TANDEM_GUARDED_BY(mutex_);
  Thread thread_;
};

}  // namespace tandem::kernel
