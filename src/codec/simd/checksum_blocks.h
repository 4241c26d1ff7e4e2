// Sums of bytes in parallel lanes, for the chosen instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tandem::codec::simd {

inline constexpr std::size_t kChecksumLanes = 16;
inline constexpr std::size_t kChecksumBlockBytes = 8 * kChecksumLanes;

using ChecksumLanes = std::array<std::uint64_t, kChecksumLanes>;

// Each lane takes its word of each block: it xors the word in, multiplies both halves by a factor each and adds the products.
// Two words that differ in one half only never give equal lanes.
void AddChecksumBlocks(const std::byte* bytes, std::size_t blocks, ChecksumLanes& lanes);

// Scalar reference.
void AddChecksumBlocksReference(const std::byte* bytes, std::size_t blocks, ChecksumLanes& lanes);

}  // namespace tandem::codec::simd
