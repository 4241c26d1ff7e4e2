#include "kernel/submit/fence_wait.h"

#include <sys/eventfd.h>

#include <array>
#include <condition_variable>
#include <vector>

namespace tandem::kernel {
namespace {

// Number of waits that are missing. Several threads may reach values at once.
class Countdown {
 public:
  void Start(std::size_t missing) {
    const MutexLock lock(mutex_);
    missing_ = missing;
  }
  void Reach(bool lost) {
    const MutexLock lock(mutex_);
    if (missing_ > 0) --missing_;
    lost_ = lost_ || lost;
    // Under the lock: the waiter may be gone as soon as it is released.
    if (missing_ == 0 || lost_) done_.notify_all();
  }
  [[nodiscard]] NTSTATUS Await() {
    MutexLock lock(mutex_);
    while (missing_ > 0 && !lost_) done_.wait(lock.native());
    return missing_ == 0 && !lost_ ? STATUS_SUCCESS : STATUS_DEVICE_REMOVED;
  }

 private:
  Mutex mutex_;
  std::condition_variable done_;
  std::size_t missing_ TANDEM_GUARDED_BY(mutex_) = 0;
  bool lost_ TANDEM_GUARDED_BY(mutex_) = false;
};

class BlockingWaiter final : public FenceWaiter {
 public:
  void OnReached(bool lost) override { countdown->Reach(lost); }
  Countdown* countdown = nullptr;
};

// Shared by its waiters; each is called in the end, by a signal or by the loss or destruction of its fence, and deletes itself.
struct AsyncWait {
  UniqueFd event;
  std::atomic<std::size_t> missing{0};
};

class AsyncWaiter final : public FenceWaiter {
 public:
  explicit AsyncWaiter(std::shared_ptr<AsyncWait> shared) : wait(std::move(shared)) {}
  void OnReached(bool lost) override {
    const std::size_t before = wait->missing.load(std::memory_order_relaxed);
    const bool last = before != 0 && wait->missing.fetch_sub(1, std::memory_order_acq_rel) == 1;
    if (last || (lost && before != 0)) static_cast<void>(eventfd_write(wait->event.get(), 1));
    delete this;
  }
  std::shared_ptr<AsyncWait> wait;
};

}  // namespace

NTSTATUS WaitForFences(std::span<const std::shared_ptr<Fence>> fences, std::span<const std::uint64_t> values, WaitFor wait_for) {
  if (fences.empty() || fences.size() > kMaxFencesOfCall || fences.size() != values.size()) return STATUS_INVALID_PARAMETER;
  Countdown countdown;
  std::array<BlockingWaiter, D3DDDI_MAX_OBJECT_WAITED_ON> few;
  std::vector<BlockingWaiter> many(fences.size() > few.size() ? fences.size() : 0);
  const std::span<BlockingWaiter> waiters = many.empty() ? std::span<BlockingWaiter>(few) : std::span<BlockingWaiter>(many);
  countdown.Start(wait_for == WaitFor::kAny ? 1 : fences.size());
  for (std::size_t i = 0; i < fences.size(); ++i) {
    waiters[i].countdown = &countdown;
    if (!fences[i]->Wait(waiters[i], values[i])) countdown.Reach(fences[i]->value() < values[i]);
  }
  const NTSTATUS status = countdown.Await();
  for (std::size_t i = 0; i < fences.size(); ++i) fences[i]->Cancel(waiters[i]);
  return status;
}

NTSTATUS WaitForFencesAsync(std::span<const std::shared_ptr<Fence>> fences, std::span<const std::uint64_t> values,
                            WaitFor wait_for, UniqueFd event) {
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
