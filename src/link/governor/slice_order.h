// Orders the slices of a frame for coding, so that encoder and link wait least for each other. The last slice to cross should
// leave little to decode. Internal to the module.
#pragma once

#include <cstdint>
#include <span>

namespace tandem::link {

// Times of a slice in its last frame; 0: unknown.
struct SliceTimes {
  std::uint64_t encode_ns = 0;
  std::uint64_t link_ns = 0;
  std::uint64_t decode_ns = 0;
};

// Fills `order` with the slices' numbers in Johnson's order, the shortest schedule through two engines in a row. Slices that
// take the link longer than the encoder come first, the quickest to encode before the others. The rest follow, the slice with
// the least link time last. Equal slices keep the order of their numbers. Finally one slice moves to the end if the frame is
// decoded earlier for that. `times` and `order` have the same size, at most 256. Allocates nothing.
void OrderSlices(std::span<const SliceTimes> times, std::span<std::uint8_t> order);

}  // namespace tandem::link
