// Sums of bytes beside each other, for the instruction set that is here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tandem::codec::simd {

inline constexpr std::size_t kChecksumLanes = 16;
inline constexpr std::size_t kChecksumBlockBytes = 8 * kChecksumLanes;

using ChecksumLanes = std::array<std::uint64_t, kChecksumLanes>;

// Each lane takes its word of each block in: the halves of what both differ in are multiplied by a number each and added. Two
// words that differ in one half only never give the same lane.
void AddChecksumBlocks(const std::byte* bytes, std::size_t blocks, ChecksumLanes& lanes);

// The scalar form.
void AddChecksumBlocksReference(const std::byte* bytes, std::size_t blocks, ChecksumLanes& lanes);

}  // namespace tandem::codec::simd
