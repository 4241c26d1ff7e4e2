// The letters of the figures in the picture. Internal to the module.
#pragma once

#include <array>
#include <cstdint>

namespace tandem::swapchain {

inline constexpr std::uint32_t kGlyphWidth = 5;
inline constexpr std::uint32_t kGlyphHeight = 9;  // seven above the base line

// Rows from the top; bit 4 is the leftmost pixel.
using Glyph = std::array<std::uint8_t, kGlyphHeight>;

// Digits, lower-case letters, '.', '-' and '/'; other characters are empty.
[[nodiscard]] const Glyph& GlyphOf(char character);

}  // namespace tandem::swapchain
