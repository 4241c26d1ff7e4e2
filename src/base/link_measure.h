// Measures a link's bandwidth and latency from timed transfers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "base/clock.h"
#include "base/result.h"

namespace tandem {

struct LinkMeasure {
  std::uint64_t bytes_per_second = 0;  // 0: unknown
  std::int64_t latency_ns = 0;         // time of an empty transfer, with submission and wait
};

// The link with the lower bandwidth. An unknown bandwidth counts as unlimited.
[[nodiscard]] LinkMeasure NarrowerOf(const LinkMeasure& a, const LinkMeasure& b);

struct TimedTransfer {
  std::uint64_t bytes = 0;
  std::int64_t ns = 0;
};
// Fits a line through both transfers; `small` has fewer bytes. If the line would not rise, `large` alone gives the bandwidth
// and the latency is 0.
[[nodiscard]] LinkMeasure FitLink(const TimedTransfer& small, const TimedTransfer& large);

// These sizes separate submission time from transfer time on links from 100 MB/s to 100 GB/s.
inline constexpr std::uint64_t kSmallTransferBytes = 64ULL << 10;
inline constexpr std::uint64_t kLargeTransferBytes = 4ULL << 20;

// Measures both sizes several times; the shortest time of each counts. `transfer` moves `bytes` over the link and returns when
// they have arrived; its errors are passed on.
[[nodiscard]] Result<LinkMeasure> MeasureLink(Clock& clock, const std::function<Result<void>(std::uint64_t bytes)>& transfer);

}  // namespace tandem
