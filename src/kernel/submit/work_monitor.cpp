#include "kernel/submit/work_monitor.h"

#include <algorithm>

namespace tandem::kernel {
namespace {

// Longest sleep before the caller looks again if the adapter is alive.
constexpr std::int64_t kLookAgainNs = 100'000'000;

}  // namespace

bool WorkMonitor::Sleep(std::int64_t deadline_ns) {
  Clock& clock = adapter_.clock();
  const std::int64_t now = clock.NowNs();
  if (now >= deadline_ns) return false;
  ++sleepers_;
  std::unique_lock<std::mutex> lock(mutex_, std::adopt_lock);
  clock.WaitUntil(lock, changed_, std::min(deadline_ns, now + kLookAgainNs));
  lock.release();
  --sleepers_;
  return true;
}

}  // namespace tandem::kernel
