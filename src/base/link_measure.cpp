#include "base/link_measure.h"

#include <cmath>

namespace tandem {
namespace {

constexpr int kRuns = 3;  // after one warm-up run

std::uint64_t PerSecond(std::uint64_t bytes, std::int64_t ns) {
  return static_cast<std::uint64_t>(
      std::llround(static_cast<double>(bytes) * 1e9 / static_cast<double>(std::max<std::int64_t>(ns, 1))));
}

}  // namespace

LinkMeasure NarrowerOf(const LinkMeasure& a, const LinkMeasure& b) {
  if (a.bytes_per_second == 0) return b;
  if (b.bytes_per_second == 0) return a;
  return a.bytes_per_second <= b.bytes_per_second ? a : b;
}

LinkMeasure FitLink(const TimedTransfer& small, const TimedTransfer& large) {
  const std::int64_t ns = large.ns - small.ns;
  if (ns <= 0) return {PerSecond(large.bytes, large.ns), 0};
  const std::uint64_t rate = PerSecond(large.bytes - small.bytes, ns);
  const auto of_small_ns =
      static_cast<std::int64_t>(static_cast<double>(small.bytes) * 1e9 / static_cast<double>(std::max<std::uint64_t>(rate, 1)));
  // The small transfer took less than its share, so the fitted latency would be negative.
  if (of_small_ns > small.ns) return {PerSecond(large.bytes, large.ns), 0};
  return {rate, small.ns - of_small_ns};
}

Result<LinkMeasure> MeasureLink(Clock& clock, const std::function<Result<void>(std::uint64_t bytes)>& transfer) {
  const auto time = [&](std::uint64_t bytes) -> Result<TimedTransfer> {
    TimedTransfer timed{bytes, 0};
    for (int run = 0; run <= kRuns; ++run) {
      const std::int64_t begin_ns = clock.NowNs();
      if (auto done = transfer(bytes); !done.ok()) return std::move(done).error();
      const std::int64_t ns = clock.NowNs() - begin_ns;
      timed.ns = run <= 1 ? ns : std::min(timed.ns, ns);
    }
    return timed;
  };
  const auto small = time(kSmallTransferBytes);
  if (!small.ok()) return small.error();
  const auto large = time(kLargeTransferBytes);
  if (!large.ok()) return large.error();
  return FitLink(*small, *large);
}

}  // namespace tandem
