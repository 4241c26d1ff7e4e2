#include "kernel/submit/fence.h"

#include "base/check.h"

namespace tandem::kernel {

Fence::~Fence() {
  const MutexLock lock(mutex_);
  TANDEM_CHECK(first_ == nullptr);
}

void Fence::Signal(std::uint64_t value) {
  LateWakes wakes;
  const MutexLock lock(mutex_);
  if (Raise(value)) Wake(false, wakes);
}

bool Fence::Raise(std::uint64_t value) {
  if (value <= value_.load(std::memory_order_relaxed)) return false;
  SetValue(value);
  return true;
}

void Fence::Rewind(std::uint64_t value) {
  LateWakes wakes;
  const MutexLock lock(mutex_);
  SetValue(value);
  Wake(false, wakes);
}

void Fence::MarkLost() {
  LateWakes wakes;
  const MutexLock lock(mutex_);
  lost_.store(true, std::memory_order_release);
  Wake(true, wakes);
}

bool Fence::AddName() {
  std::uint32_t names = names_.load(std::memory_order_relaxed);
  do {
    if (names == 0) return false;
  } while (!names_.compare_exchange_weak(names, names + 1, std::memory_order_relaxed));
  return true;
}

bool Fence::DropName() {
  if (names_.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  MarkLost();
  return true;
}

bool Fence::Wait(FenceWaiter& waiter, std::uint64_t value) {
  const MutexLock lock(mutex_);
  TANDEM_CHECK(!waiter.waiting_);
  if (lost_.load(std::memory_order_relaxed) || Take(value)) return false;
  waiter.value_ = value;
  waiter.waiting_ = true;
  waiter.previous_ = nullptr;
  waiter.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &waiter;
  first_ = &waiter;
  return true;
}

void Fence::Cancel(FenceWaiter& waiter) {
  const MutexLock lock(mutex_);
  if (waiter.waiting_) Unlink(waiter);
}

void Fence::Unlink(FenceWaiter& waiter) {
  if (waiter.previous_ != nullptr) {
    waiter.previous_->next_ = waiter.next_;
  } else {
    first_ = waiter.next_;
  }
  if (waiter.next_ != nullptr) waiter.next_->previous_ = waiter.previous_;
  waiter.waiting_ = false;
}

void Fence::Wake(bool lost, LateWakes& wakes) {
  const std::uint64_t reached = value_.load(std::memory_order_relaxed);
  for (FenceWaiter* waiter = first_; waiter != nullptr;) {
    FenceWaiter& current = *waiter;
    waiter = current.next_;
    if (!lost && current.value_ > reached) continue;
    Unlink(current);
    wakes.Add(current.OnReached(lost));
  }
}

}  // namespace tandem::kernel
