// The plane sets of one adapter: one for each flip of several planes that its flip queue has room for.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "base/check.h"
#include "kernel/submit/limits.h"
#include "kernel/submit/plane_set.h"

namespace tandem::kernel {

// Threads: any. Allocates nothing after creation.
class PlanePool {
 public:
  explicit PlanePool(std::uint32_t sources) : sets_(sources * kSetsPerSource) {}

  // The caller has a place in the flip queue of a source. A set that no flip takes goes back by `taken`.
  [[nodiscard]] PlaneSet& Take() {
    const auto free = std::ranges::find_if(sets_, [](PlaneSet& set) {
      bool expected = false;
      return set.taken.compare_exchange_strong(expected, true, std::memory_order_acq_rel);
    });
    TANDEM_CHECK(free != sets_.end());
    return *free;
  }

 private:
  // The flips in places of the queue, and the one on the screen.
  static constexpr std::size_t kSetsPerSource = kMaxPendingFlips + 1;

  std::vector<PlaneSet> sets_;
};

}  // namespace tandem::kernel
