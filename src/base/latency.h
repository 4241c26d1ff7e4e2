// Distribution of durations over frames, without allocation.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tandem {

// A histogram of durations: exact below 32 ns, then 32 buckets for each power of two. A percentile is therefore at most 1/32
// (3.2 %) too high. Threads: one writer. Other threads may read meanwhile; they may miss the newest durations but never see
// torn values. The histogram takes about 15 KiB.
class LatencyHistogram {
 public:
  // Negative durations count as 0. Writer only.
  void Record(std::int64_t duration_ns) noexcept;
  // Writer only.
  void Reset() noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t max_ns() const noexcept { return max_ns_.load(std::memory_order_relaxed); }
  // The smallest bucket bound that at least `fraction` (0..1) of the durations do not exceed, capped at max_ns(). Returns 0
  // when nothing was recorded. PercentileNs(0.5) is the median.
  [[nodiscard]] std::int64_t PercentileNs(double fraction) const noexcept;

 private:
  static constexpr unsigned kSubBits = 5;
  static constexpr std::size_t kSubBuckets = std::size_t{1} << kSubBits;
  static constexpr std::size_t kBuckets = (63 - kSubBits + 1) * kSubBuckets;  // durations up to 2^63 - 1

  static std::size_t BucketOf(std::uint64_t duration_ns) noexcept;
  static std::uint64_t UpperBoundNs(std::size_t bucket) noexcept;

  std::array<std::atomic<std::uint64_t>, kBuckets> buckets_{};
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::int64_t> max_ns_{0};
};

}  // namespace tandem
