// In which order the slices of a frame are coded, so that encoder and link wait least for each other and little is left to decode
// when the last one has crossed. Internal to the module.
#pragma once

#include <cstdint>
#include <span>

namespace tandem::link {

// What a slice took last; 0: not known.
struct SliceTimes {
  std::uint64_t encode_ns = 0;
  std::uint64_t link_ns = 0;
  std::uint64_t decode_ns = 0;
};

// Fills `order` with the slices' numbers: Johnson's order, the shortest way through two engines that take one slice after the
// other. First those that take the link longer than the encoder, the quickest to encode before the others, then the rest, with
// the least for the link at the end. Equal ones stay as they are numbered. Then one of them goes behind all others if the frame
// is decoded earlier by that. Both have the same size, at most 256. Allocates nothing.
void OrderSlices(std::span<const SliceTimes> times, std::span<std::uint8_t> order);

}  // namespace tandem::link
