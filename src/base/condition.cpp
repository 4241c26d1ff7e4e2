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

// Errors need no handling: the word has another value, a signal or the deadline came. `deadline` is of CLOCK_MONOTONIC.
void WaitWhile(std::atomic<std::uint32_t>& word, std::uint32_t value, const timespec* deadline) {
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, value, deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void Wake(std::atomic<std::uint32_t>& word, int count) { syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count); }

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

void Condition::Wait(std::unique_lock<std::mutex>& lock) {
  waiters_.fetch_add(1);
  const std::uint32_t before = notifications_.load();
  lock.unlock();
  WaitWhile(notifications_, before, nullptr);
  lock.lock();
  waiters_.fetch_sub(1);
}

void Condition::WaitUntil(std::unique_lock<std::mutex>& lock, std::int64_t deadline_ns) {
  const std::int64_t due_ns = std::max<std::int64_t>(deadline_ns, 0);
  const timespec deadline{.tv_sec = static_cast<time_t>(due_ns / kNsPerS), .tv_nsec = static_cast<long>(due_ns % kNsPerS)};
  waiters_.fetch_add(1);
  const std::uint32_t before = notifications_.load();
  lock.unlock();
  WaitWhile(notifications_, before, &deadline);
  lock.lock();
  waiters_.fetch_sub(1);
}

}  // namespace tandem
