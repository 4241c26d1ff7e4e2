#include "kernel/ddi_counts.h"

#include <atomic>
#include <cstddef>

namespace tandem::kernel {
namespace {

constinit std::atomic<bool> counting{false};
constinit std::atomic<std::uint64_t> calls{0};
constinit std::array<std::atomic<std::uint64_t>, std::tuple_size_v<decltype(DdiCounts::seen)>> seen{};

}  // namespace

void CountDdis() { counting = true; }

std::uint64_t DdiCallsSoFar() { return calls.load(std::memory_order_relaxed); }

DdiCounts DdisSoFar() {
  DdiCounts counts;
  counts.calls = DdiCallsSoFar();
  for (std::size_t i = 0; i < seen.size(); ++i) counts.seen[i] = seen[i].load(std::memory_order_relaxed);
  return counts;
}

void NoteDdi(std::uint8_t ddi, std::int32_t status) {
  if (!counting.load(std::memory_order_relaxed)) return;
  if (status == 0) calls.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t hash = (std::uint64_t{static_cast<std::uint32_t>(status)} << 8 | ddi) * 0x9E3779B97F4A7C15u >> 52;
  seen[hash / 64].fetch_or(std::uint64_t{1} << hash % 64, std::memory_order_relaxed);
}

}  // namespace tandem::kernel
