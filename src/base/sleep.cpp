#include "base/sleep.h"

namespace tandem {

void SleepFor(Clock& clock, std::int64_t duration_ns) {
  const std::int64_t end_ns = clock.NowNs() + duration_ns;
  std::mutex mutex;
  Condition nobody;
  std::unique_lock lock(mutex);
  while (clock.NowNs() < end_ns) clock.WaitUntil(lock, nobody, end_ns);
}

}  // namespace tandem
