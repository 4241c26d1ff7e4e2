// The driver's memory behind a resource, as one range of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bus/guest_memory.h"

namespace tandem::bus {

// Collects copies between a backing and bytes of the device. Offsets that go up cost one walk through the backing in all.
class BackingCopies {
 public:
  // Both outlive this object; `copies` is cleared.
  BackingCopies(std::span<const GuestRange> backing, std::vector<GuestCopy>& copies) : backing_(backing), copies_(copies) {
    copies_.clear();
  }

  // Adds the copies of `bytes` from `offset` of the backing on. False when the backing ends before.
  [[nodiscard]] bool Add(std::uint64_t offset, std::uint64_t bytes, std::byte* local);

 private:
  const std::span<const GuestRange> backing_;
  std::vector<GuestCopy>& copies_;
  std::size_t range_ = 0;    // the last one that was used
  std::uint64_t begin_ = 0;  // its offset in the backing
};

}  // namespace tandem::bus
