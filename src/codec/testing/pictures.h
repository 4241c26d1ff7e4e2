// Generated frames for tests and benchmarks: always the same bytes for the same arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tandem::codec {

enum class Picture : std::uint8_t { kNoise, kGradient, kInterface, kText, kScene };

// width x height pixels of B8G8R8A8, opaque, rows one after the other.
[[nodiscard]] std::vector<std::byte> DrawPicture(Picture picture, std::uint32_t width, std::uint32_t height, std::uint32_t seed);

}  // namespace tandem::codec
