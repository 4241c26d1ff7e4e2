#include "base/read_clock.h"

#include <limits>

#include "base/clock.h"

namespace tandem {

std::optional<std::int64_t> ReadClock(clockid_t clock) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return std::nullopt;
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

std::optional<std::int64_t> AheadOfMonotonicNs(clockid_t clock) {
  constexpr int kReadings = 3;
  std::int64_t ahead_ns = 0;
  std::int64_t closest_ns = std::numeric_limits<std::int64_t>::max();
  for (int reading = 0; reading < kReadings; ++reading) {
    const std::int64_t before_ns = MonotonicClock().NowNs();
    const auto there_ns = ReadClock(clock);
    if (!there_ns) return std::nullopt;
    const std::int64_t between_ns = MonotonicClock().NowNs() - before_ns;
    if (between_ns >= closest_ns) continue;
    closest_ns = between_ns;
    ahead_ns = *there_ns - before_ns - between_ns / 2;
  }
  return ahead_ns;
}

}  // namespace tandem
