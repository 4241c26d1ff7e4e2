// The machine's clocks, which the NT kernel's functions give a driver.
#pragma once

#include <time.h>

#include <cstdint>

namespace tandem::drivers::host {

inline constexpr std::uint64_t kForever = ~std::uint64_t{0};

// Monotonic nanoseconds.
inline std::uint64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

// Windows' system time: units of 100 ns since the year 1601.
inline std::int64_t SystemTime() {
  constexpr std::int64_t kUnixEpoch = 116'444'736'000'000'000;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return kUnixEpoch + now.tv_sec * std::int64_t{10'000'000} + now.tv_nsec / 100;
}

}  // namespace tandem::drivers::host
