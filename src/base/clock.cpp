#include "base/clock.h"

#include <chrono>

namespace tandem {
namespace {

class SystemClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t NowNs() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  bool WaitUntil(std::unique_lock<std::mutex>& lock, Condition& condition, std::int64_t deadline_ns) override {
    if (deadline_ns == kNoDeadline) {
      condition.Wait(lock);
      return true;
    }
    condition.WaitUntil(lock, deadline_ns);
    return NowNs() < deadline_ns;
  }
};

}  // namespace

Clock& MonotonicClock() {
  static SystemClock clock;
  return clock;
}

}  // namespace tandem
