#include "kernel/submit/pager.h"

#include <utility>

#include "base/log.h"
#include "base/status_name.h"
#include "kernel/memory/no_memory.h"
#include "kernel/submit/limits.h"

namespace tandem::kernel {
namespace {

// Longest sleep before the pager looks again.
constexpr std::int64_t kLookAgainNs = 100'000'000;

}  // namespace

Result<std::unique_ptr<Pager>> Pager::Create(Adapter& adapter, Scheduler& scheduler, Residency& residency) {
  std::unique_ptr<Pager> pager(new Pager(adapter, scheduler, residency));
  auto thread = Thread::Start("tandem-pager", [self = pager.get()] { self->Run(); });
  if (!thread.ok()) return std::move(thread).error();
  pager->thread_ = *std::move(thread);
  scheduler.memory().SetHost(pager.get());
  return pager;
}

Pager::~Pager() {
  if (!thread_.joinable()) return;
  scheduler_.memory().SetHost(nullptr);
  {
    const MutexLock lock(mutex_);
    stops_ = true;
    wake_.NotifyOne();
  }
  thread_.Join();
  const MutexLock lock(mutex_);
  for (const ResidencyRequest& request : requests_) Finish(request);
}

NTSTATUS Pager::Pin(Allocation& allocation) {
  allocation.last_use.store(NextUse(), std::memory_order_relaxed);
  if (allocation.residency.TryPin()) return STATUS_SUCCESS;
  Allocation* const wanted[] = {&allocation};
  if (const NTSTATUS status = CheckFits(wanted); !NT_SUCCESS(status)) return status;
  const std::int64_t deadline = adapter_.clock().NowNs() + kMemoryWaitNs;
  for (;;) {
    const std::uint64_t seen = scheduler_.memory().releases();
    const NTSTATUS status = residency_.Pin(wanted);
    if (status != STATUS_GRAPHICS_ALLOCATION_BUSY) return status;
    if (scheduler_.memory().AwaitRelease(seen, deadline)) continue;
    return adapter_.alive() ? STATUS_GRAPHICS_NO_VIDEO_MEMORY : STATUS_DEVICE_REMOVED;
  }
}

void Pager::Unpin(Allocation& allocation) {
  allocation.residency.Unpin();
  scheduler_.memory().NoteRelease();
}

void Pager::BringIn(std::list<ResidencyRequest> request) noexcept {
  {
    const MutexLock lock(mutex_);
    requests_.splice(requests_.end(), request);
    has_work_ = true;
    wake_.NotifyOne();
  }
  scheduler_.memory().NoteRelease();  // the thread may be waiting for one
}

NTSTATUS Pager::CheckFits(std::span<Allocation* const> allocations) {
  if (residency_.CanFit(allocations)) return STATUS_SUCCESS;
  std::uint64_t bytes = 0;
  for (const Allocation* allocation : allocations) bytes += allocation->range_bytes;
  Log(LogLevel::kWarn, "{} allocations of {} bytes do not fit their segments together.", allocations.size(), bytes);
  return STATUS_GRAPHICS_NO_VIDEO_MEMORY;
}

void Pager::OnMemoryWanted() {
  const MutexLock lock(mutex_);
  has_work_ = true;
  wake_.NotifyOne();
}

void Pager::Run() {
  for (;;) {
    {
      MutexLock lock(mutex_);
      while (!has_work_ && !stops_) wake_.Wait(lock.native());
      if (stops_) return;
      has_work_ = false;
    }
    const std::uint64_t seen = scheduler_.memory().releases();
    const std::int64_t looked_ns = adapter_.clock().NowNs();  // before: what falls due while it looks is found the next time
    ServeRequests();
    if (!ServeContexts()) continue;
    static_cast<void>(scheduler_.memory().AwaitRelease(seen, looked_ns + kLookAgainNs));
    const MutexLock lock(mutex_);
    has_work_ = true;
  }
}

bool Pager::ServeContexts() {
  waiters_.clear();
  scheduler_.memory().Take(waiters_);
  bool wait = false;
  for (const auto& [context, packet, wanted_ns] : waiters_) {
    const std::span<Allocation* const> used = packet->used;
    if (adapter_.trial().moves_allocations) static_cast<void>(OrNoMemory([&] { return residency_.Relocate(used); }));
    const NTSTATUS status = OrNoMemory([&] { return residency_.Pin(used); });
    if (NT_SUCCESS(status)) {
      scheduler_.memory().Answer(*context, MemoryWaiters::Grant::kPinned);
    } else if (status == STATUS_GRAPHICS_ALLOCATION_BUSY && adapter_.alive() &&
               adapter_.clock().NowNs() < wanted_ns + kMemoryWaitNs) {
      scheduler_.memory().Return(*context);
      wait = true;
    } else {
      Log(LogLevel::kWarn, "A submission of {} allocations found no memory within {} s ({}); its context is lost.", used.size(),
          kMemoryWaitNs / 1'000'000'000, StatusText(status));
      scheduler_.memory().Answer(*context, MemoryWaiters::Grant::kRefused);
    }
  }
  return wait;
}

void Pager::ServeRequests() {
  std::list<ResidencyRequest> requests;
  {
    const MutexLock lock(mutex_);
    requests.swap(requests_);
  }
  for (const ResidencyRequest& request : requests) {
    // Allocations in the way are pinned, and go when a submission needs them to. The reference alone holds the place.
    const bool must = request.lost_without != nullptr;
    const NTSTATUS status =
        OrNoMemory([&] { return must ? residency_.Pin(request.allocations) : residency_.BringIn(request.allocations); });
    if (must && NT_SUCCESS(status)) UnpinAll(request.allocations);
    if (must && !NT_SUCCESS(status)) scheduler_.LoseDevice(*request.lost_without, DeviceLoss::kNoMemory);
    if (!NT_SUCCESS(status)) Log(LogLevel::kDebug, "MakeResident: {}.", StatusText(status));
    Finish(request);
  }
}

void Pager::Finish(const ResidencyRequest& request) {
  for (Allocation* allocation : request.allocations) scheduler_.uses().End(*allocation);
  request.fence->Signal(request.value);
}

}  // namespace tandem::kernel
