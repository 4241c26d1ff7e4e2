// How wide a link is, from what transfers over it took.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "base/clock.h"
#include "base/result.h"

namespace tandem {

struct LinkMeasure {
  std::uint64_t bytes_per_second = 0;  // 0: nothing is known
  std::int64_t latency_ns = 0;         // what a transfer of nothing would take, with being submitted and waited for
};

// The one that more bytes wait for; one of which nothing is known is wide.
[[nodiscard]] LinkMeasure NarrowerOf(const LinkMeasure& a, const LinkMeasure& b);

struct TimedTransfer {
  std::uint64_t bytes = 0;
  std::int64_t ns = 0;
};
// The line through both; `small` has fewer bytes. Where it would not rise the larger one counts for itself, without a latency.
[[nodiscard]] LinkMeasure FitLink(const TimedTransfer& small, const TimedTransfer& large);

// Far enough apart that what a submission takes stands out from what the bytes take, on links from 100 MB/s to 100 GB/s.
inline constexpr std::uint64_t kSmallTransferBytes = 64ULL << 10;
inline constexpr std::uint64_t kLargeTransferBytes = 4ULL << 20;

// Lets `transfer` bring so many bytes over the link and end when they are there; some times each, the shortest counts. What
// `transfer` fails with.
[[nodiscard]] Result<LinkMeasure> MeasureLink(Clock& clock, const std::function<Result<void>(std::uint64_t bytes)>& transfer);

}  // namespace tandem
