#include "base/clock.h"

#include <chrono>

namespace tandem {
namespace {

class SystemClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t NowNs() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  bool WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& condition, std::int64_t deadline_ns) override {
    if (deadline_ns == kNoDeadline) {
      condition.wait(lock);
      return true;
    }
    const std::chrono::steady_clock::time_point deadline{std::chrono::nanoseconds(deadline_ns)};
    return condition.wait_until(lock, deadline) == std::cv_status::no_timeout;
  }
};

}  // namespace

Clock& MonotonicClock() {
  static SystemClock clock;
  return clock;
}

}  // namespace tandem
