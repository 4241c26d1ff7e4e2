#include "kernel/submit/fence_wait.h"

#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "base/condition.h"

namespace tandem::kernel {
namespace {

class CpuWait;

class CpuWaiter final : public FenceWaiter {
 public:
  Condition* OnReached(bool lost) override;
  CpuWait* wait = nullptr;
  // The fence has called, and touches the waiter no more.
  std::atomic<bool> called{false};
};

// A blocking wait, with a waiter for each fence. Records are kept and reused, and are never on the waiting thread's stack: the
// program may end that thread in its wait, and the fences call the waiters later. The record of an ended thread is not reused.
class CpuWait {
 public:
  struct GiveBack {
    void operator()(CpuWait* wait) const;
  };
  using Handle = std::unique_ptr<CpuWait, GiveBack>;

  [[nodiscard]] static Handle Take(std::size_t fences);

  [[nodiscard]] CpuWaiter& waiter(std::size_t fence) { return many_.empty() ? few_[fence] : many_[fence]; }
  // Number of waiters that are missing. Several threads may reach values at once.
  void Start(std::size_t missing) {
    const MutexLock lock(mutex_);
    missing_ = missing;
    lost_ = false;
  }
  // True when the wait is over: a notification is due.
  [[nodiscard]] bool Reach(bool lost) {
    const MutexLock lock(mutex_);
    if (missing_ > 0) --missing_;
    lost_ = lost_ || lost;
    return missing_ == 0 || lost_;
  }
  // A late notification finds another wait, which looks again.
  [[nodiscard]] Condition& done() { return done_; }
  [[nodiscard]] NTSTATUS Await() {
    MutexLock lock(mutex_);
    while (missing_ > 0 && !lost_) done_.Wait(lock.native());
    return missing_ == 0 && !lost_ ? STATUS_SUCCESS : STATUS_DEVICE_REMOVED;
  }

 private:
  std::array<CpuWaiter, D3DDDI_MAX_OBJECT_WAITED_ON> few_;
  std::vector<CpuWaiter> many_;  // more fences than that
  CpuWait* next_free_ = nullptr;
  Mutex mutex_;
  Condition done_;
  std::size_t missing_ TANDEM_GUARDED_BY(mutex_) = 0;
  bool lost_ TANDEM_GUARDED_BY(mutex_) = false;
};

// Lives as long as the process: threads may wait until its end.
constinit Mutex free_mutex;
CpuWait* first_free TANDEM_GUARDED_BY(free_mutex) = nullptr;

CpuWait::Handle CpuWait::Take(std::size_t fences) {
  Handle wait;
  {
    const MutexLock lock(free_mutex);
    wait.reset(first_free);
    if (first_free != nullptr) first_free = std::exchange(first_free->next_free_, nullptr);
  }
  if (wait == nullptr) wait.reset(new CpuWait);
  if (fences > wait->few_.size()) wait->many_ = std::vector<CpuWaiter>(fences);
  for (std::size_t i = 0; i < fences; ++i) {
    wait->waiter(i).wait = wait.get();
    wait->waiter(i).called.store(false, std::memory_order_relaxed);
  }
  return wait;
}

void CpuWait::GiveBack::operator()(CpuWait* wait) const {
  wait->many_ = std::vector<CpuWaiter>();
  const MutexLock lock(free_mutex);
  wait->next_free_ = std::exchange(first_free, wait);
}

// The thread that wakes finds no lock taken: neither the record's nor, by `called`, the fence's.
Condition* CpuWaiter::OnReached(bool lost) {
  CpuWait& record = *wait;
  const bool over = record.Reach(lost);
  called.store(true, std::memory_order_release);
  return over ? &record.done() : nullptr;
}

// Shared by its waiters; each is called in the end, by a signal or by the loss or destruction of its fence, and deletes itself.
struct AsyncWait {
  CpuEvent event;
  std::atomic<std::size_t> missing{0};
};

class AsyncWaiter final : public FenceWaiter {
 public:
  explicit AsyncWaiter(std::shared_ptr<AsyncWait> shared) : wait(std::move(shared)) {}
  Condition* OnReached(bool lost) override {
    const std::size_t before = wait->missing.load(std::memory_order_relaxed);
    const bool last = before != 0 && wait->missing.fetch_sub(1, std::memory_order_acq_rel) == 1;
    if (last || (lost && before != 0)) wait->event.Set();
    delete this;
    return nullptr;
  }
  std::shared_ptr<AsyncWait> wait;
};

}  // namespace

NTSTATUS WaitForFences(std::span<const std::shared_ptr<Fence>> fences, std::span<const std::uint64_t> values, WaitFor wait_for) {
  if (fences.empty() || fences.size() > kMaxFencesOfCall || fences.size() != values.size()) return STATUS_INVALID_PARAMETER;
  const CpuWait::Handle wait = CpuWait::Take(fences.size());
  wait->Start(wait_for == WaitFor::kAny ? 1 : fences.size());
  for (std::size_t i = 0; i < fences.size(); ++i) {
    // Nobody sleeps yet.
    if (!fences[i]->Wait(wait->waiter(i), values[i])) static_cast<void>(wait->Reach(fences[i]->value() < values[i]));
  }
  const NTSTATUS status = wait->Await();
  for (std::size_t i = 0; i < fences.size(); ++i) {
    if (!wait->waiter(i).called.load(std::memory_order_acquire)) fences[i]->Cancel(wait->waiter(i));
  }
  return status;
}

NTSTATUS WaitForFencesAsync(std::span<const std::shared_ptr<Fence>> fences, std::span<const std::uint64_t> values,
                            WaitFor wait_for, CpuEvent event) {
  if (fences.empty() || fences.size() > kMaxFencesOfCall || fences.size() != values.size()) return STATUS_INVALID_PARAMETER;
  auto wait = std::make_shared<AsyncWait>();
  wait->event = std::move(event);
  wait->missing = wait_for == WaitFor::kAny ? 1 : fences.size();
  for (std::size_t i = 0; i < fences.size(); ++i) {
    auto waiter = std::make_unique<AsyncWaiter>(wait);
    AsyncWaiter& armed = *waiter;
    if (fences[i]->Wait(armed, values[i])) {
      static_cast<void>(waiter.release());  // deletes itself when it was called
    } else {
      static_cast<void>(waiter.release());
      armed.OnReached(fences[i]->value() < values[i]);
    }
  }
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
