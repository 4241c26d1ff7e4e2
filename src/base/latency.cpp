#include "base/latency.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tandem {

// The bucket index for v >= 32 is its power of two times 32, plus the five bits below the leading one.
std::size_t LatencyHistogram::BucketOf(std::uint64_t duration_ns) noexcept {
  if (duration_ns < kSubBuckets) return static_cast<std::size_t>(duration_ns);
  const unsigned shift = static_cast<unsigned>(std::bit_width(duration_ns)) - 1 - kSubBits;
  const auto sub = static_cast<std::size_t>(duration_ns >> shift) - kSubBuckets;
  return (shift + 1) * kSubBuckets + sub;
}

std::uint64_t LatencyHistogram::UpperBoundNs(std::size_t bucket) noexcept {
  if (bucket < kSubBuckets) return bucket;
  const std::size_t shift = bucket / kSubBuckets - 1;
  const std::uint64_t lower = (std::uint64_t{kSubBuckets} + bucket % kSubBuckets) << shift;
  return lower + (std::uint64_t{1} << shift) - 1;
}

void LatencyHistogram::Record(std::int64_t duration_ns) noexcept {
  const std::int64_t duration = std::max<std::int64_t>(duration_ns, 0);
  auto& bucket = buckets_[BucketOf(static_cast<std::uint64_t>(duration))];
  // A plain load and store suffice, because there is one writer.
  bucket.store(bucket.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (duration > max_ns()) max_ns_.store(duration, std::memory_order_relaxed);
  count_.store(count() + 1, std::memory_order_relaxed);
}

void LatencyHistogram::Reset() noexcept {
  for (auto& bucket : buckets_) bucket.store(0, std::memory_order_relaxed);
  count_.store(0, std::memory_order_relaxed);
  max_ns_.store(0, std::memory_order_relaxed);
}

std::int64_t LatencyHistogram::PercentileNs(double fraction) const noexcept {
  // Sums the buckets instead of reading count_: a reader may see the two at different times.
  std::uint64_t total = 0;
  for (const auto& bucket : buckets_) total += bucket.load(std::memory_order_relaxed);
  if (total == 0) return 0;
  const double wanted = std::ceil(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(total));
  const auto rank = std::max<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i].load(std::memory_order_relaxed);
    if (seen >= rank) return std::min(static_cast<std::int64_t>(UpperBoundNs(i)), max_ns());
  }
  return max_ns();
}

}  // namespace tandem
