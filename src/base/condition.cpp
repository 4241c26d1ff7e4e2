#include "base/condition.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

namespace tandem {
namespace {

constexpr std::int64_t kNsPerS = 1'000'000'000;

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t) && std::atomic<std::uint32_t>::is_always_lock_free);

void Wake(std::atomic<std::uint32_t>& word, int count) { syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count); }

// Waits for a notification without the lock. Errors need no handling: a notification, a signal or the deadline came. `deadline`
// is of CLOCK_MONOTONIC; null: none.
void Sleep(std::unique_lock<std::mutex>& lock, std::atomic<std::uint32_t>& notifications, std::atomic<std::uint32_t>& waiters,
           const timespec* deadline) {
  waiters.fetch_add(1);
  const std::uint32_t before = notifications.load();
  lock.unlock();
  syscall(SYS_futex, &notifications, FUTEX_WAIT_BITSET_PRIVATE, before, deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
  lock.lock();
  waiters.fetch_sub(1);
}

}  // namespace

// A waiter counts itself and reads the number of notifications under its mutex. A notifier has held that mutex later, so it
// sees the waiter, and the waiter's futex sees its notification.
void Condition::NotifyOne() {
  notifications_.fetch_add(1);
  if (waiters_.load() != 0) Wake(notifications_, 1);
}

void Condition::NotifyAll() {
  notifications_.fetch_add(1);
  if (waiters_.load() != 0) Wake(notifications_, INT_MAX);
}

void Condition::Wait(std::unique_lock<std::mutex>& lock) { Sleep(lock, notifications_, waiters_, nullptr); }

void Condition::WaitUntil(std::unique_lock<std::mutex>& lock, std::int64_t deadline_ns) {
  const std::int64_t due_ns = std::max<std::int64_t>(deadline_ns, 0);
  const timespec deadline{.tv_sec = static_cast<time_t>(due_ns / kNsPerS), .tv_nsec = static_cast<long>(due_ns % kNsPerS)};
  Sleep(lock, notifications_, waiters_, &deadline);
}

}  // namespace tandem
