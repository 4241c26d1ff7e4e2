// A monitored fence: a 64-bit value, and the waits for it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/condition.h"
#include "base/thread.h"

namespace tandem::kernel {

// One wait for one fence; never on the stack of a program's thread. Its owner takes it back with Fence::Cancel before it goes.
class FenceWaiter {
 public:
  virtual ~FenceWaiter() = default;
  // Once, under the fence's lock, by the thread that signals: must not block and must not call the fence. `lost`: the value will
  // not come. Answers the condition that this thread notifies once the lock is free; null for none. It lives as long as the
  // process.
  virtual Condition* OnReached(bool lost) = 0;

 private:
  friend class Fence;
  std::uint64_t value_ = 0;
  bool waiting_ = false;
  FenceWaiter* previous_ = nullptr;
  FenceWaiter* next_ = nullptr;
};

// Notifies conditions at its end: a woken thread finds the fence unlocked.
class LateWakes {
 public:
  LateWakes() = default;
  ~LateWakes() {
    for (std::size_t i = 0; i < count_; ++i) conditions_[i]->NotifyAll();
  }
  LateWakes(const LateWakes&) = delete;
  LateWakes& operator=(const LateWakes&) = delete;
  // Null is nothing. More than there is room for are notified at once.
  void Add(Condition* condition) {
    if (condition == nullptr) return;
    if (count_ == conditions_.size()) return condition->NotifyAll();
    conditions_[count_++] = condition;
  }

 private:
  std::array<Condition*, 8> conditions_;
  std::size_t count_ = 0;
};

// Shared by the handle, the waits and the queued signals. Any thread, any IRQL up to DISPATCH; allocates nothing after creation.
class Fence {
 public:
  explicit Fence(std::uint64_t initial) : value_(initial) {}
  virtual ~Fence();
  Fence(const Fence&) = delete;
  Fence& operator=(const Fence&) = delete;

  [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_acquire); }
  // FenceValueCPUVirtualAddress points here: live, 8-byte aligned, valid as long as the fence.
  [[nodiscard]] void* cpu_address() { return &value_; }

  // A value below the current one changes nothing.
  void Signal(std::uint64_t value);
  // Sets the value, also to one below. Waits for a value above go on.
  void Rewind(std::uint64_t value);
  // Every wait ends, now and from now on.
  void MarkLost();
  // Handles and descriptors that name the fence; it starts with one. False when the last one is gone.
  [[nodiscard]] bool AddName();
  // True for the last one, which marks the fence lost.
  bool DropName();
  [[nodiscard]] bool lost() const { return lost_.load(std::memory_order_acquire); }

  // False when the value is reached or the fence lost already; then the waiter is not called.
  [[nodiscard]] bool Wait(FenceWaiter& waiter, std::uint64_t value);
  // Afterwards the waiter is not called any more.
  void Cancel(FenceWaiter& waiter);

 protected:
  // A kind of fence takes a signal in its own way: true when its waits are to be looked at.
  [[nodiscard]] virtual bool Raise(std::uint64_t value) TANDEM_REQUIRES(mutex_);
  // True when a wait for the value is over.
  [[nodiscard]] virtual bool Take(std::uint64_t value) TANDEM_REQUIRES(mutex_) { return this->value() >= value; }
  void SetValue(std::uint64_t value) { value_.store(value, std::memory_order_release); }

  Mutex mutex_;

 private:
  void Unlink(FenceWaiter& waiter) TANDEM_REQUIRES(mutex_);
  void Wake(bool lost, LateWakes& wakes) TANDEM_REQUIRES(mutex_);

  alignas(8) std::atomic<std::uint64_t> value_;
  std::atomic<bool> lost_{false};
  std::atomic<std::uint32_t> names_{1};
  FenceWaiter* first_ TANDEM_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace tandem::kernel
