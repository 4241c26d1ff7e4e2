#include "base/request_bits.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/thread_sanitizer.h"

namespace tandem {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t) && std::atomic<std::uint32_t>::is_always_lock_free);

std::uint32_t RequestBits::Post(std::uint32_t bits) {
  TellBefore(this);
  const std::uint32_t before = word_.fetch_or(bits, std::memory_order_acq_rel);
  // The first post wakes the thread. Later ones, before it runs, find the mark gone.
  if ((before & kSleeps) != 0 && (word_.fetch_and(~kSleeps, std::memory_order_acq_rel) & kSleeps) != 0)
    syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1);
  return before & ~kSleeps;
}

std::uint32_t RequestBits::Take() {
  for (;;) {
    const std::uint32_t bits = word_.exchange(0, std::memory_order_acq_rel) & ~kSleeps;
    if (bits != 0) {
      TellAfter(this);
      return bits;
    }
    std::uint32_t none = 0;
    if (!word_.compare_exchange_strong(none, kSleeps, std::memory_order_acq_rel)) continue;
    // Errors need no handling: bits came, or a signal.
    syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, kSleeps, nullptr, nullptr, 0);
  }
}

}  // namespace tandem
