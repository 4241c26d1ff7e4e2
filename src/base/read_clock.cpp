#include "base/read_clock.h"

namespace tandem {

std::optional<std::int64_t> ReadClock(clockid_t clock) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return std::nullopt;
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

}  // namespace tandem
