// Generated frames for reports, tests and benchmarks; equal arguments give equal bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tandem::codec {

enum class Picture : std::uint8_t { kNoise, kGradient, kInterface, kText, kScene };
inline constexpr Picture kPictures[] = {Picture::kNoise, Picture::kGradient, Picture::kInterface, Picture::kText,
                                        Picture::kScene};

// "noise" and so on. Static storage.
[[nodiscard]] std::string_view ToString(Picture picture);

// Draws width x height pixels of B8G8R8A8, opaque, rows without padding.
[[nodiscard]] std::vector<std::byte> DrawPicture(Picture picture, std::uint32_t width, std::uint32_t height, std::uint32_t seed);

}  // namespace tandem::codec
