#include "layer/patience.h"

#include <chrono>
#include <thread>

namespace tandem::layer {

std::unique_lock<std::mutex> LockWithPatience(std::mutex& mutex) {
  constexpr std::chrono::milliseconds kStep{1};
  constexpr int kSteps = 200;
  std::unique_lock lock(mutex, std::try_to_lock);
  for (int i = 0; i < kSteps && !lock.owns_lock(); ++i) {
    std::this_thread::sleep_for(kStep);
    static_cast<void>(lock.try_lock());
  }
  return lock;
}

}  // namespace tandem::layer
