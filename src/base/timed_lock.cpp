#include "base/timed_lock.h"

#include <poll.h>

namespace tandem {

std::unique_lock<std::mutex> TimedLock(std::mutex& mutex) {
  constexpr int kStepMs = 1;
  constexpr int kSteps = 200;
  std::unique_lock lock(mutex, std::try_to_lock);
  for (int i = 0; i < kSteps && !lock.owns_lock(); ++i) {
    poll(nullptr, 0, kStepMs);
    static_cast<void>(lock.try_lock());
  }
  return lock;
}

}  // namespace tandem
