// Numbered pictures: each pixel follows from the frame's number and its position, so one wrong or old pixel is detected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace tandem::swapchain_test {

struct Picture {
  std::byte* pixels = nullptr;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t pitch = 0;  // bytes
  std::uint32_t bytes_per_pixel = 4;
  std::uint32_t opaque = 0;  // bits set in every pixel, for an alpha channel that does not arrive
};

// The word of a pixel; the first pixel is the number itself.
inline std::uint32_t PatternWord(std::uint32_t number, std::uint32_t x, std::uint32_t y) {
  return number ^ (x * 0x9E3779B1U) ^ (y * 0x85EBCA77U);
}

inline void PaintRows(const Picture& picture, std::uint32_t number, std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t y = first; y < first + count; ++y) {
    std::byte* row = picture.pixels + std::size_t{y} * picture.pitch;
    for (std::uint32_t x = 0; x < picture.width; ++x) {
      const std::uint32_t word = PatternWord(number, x, y) | picture.opaque;
      for (std::uint32_t at = 0; at < picture.bytes_per_pixel; at += 4) {
        std::memcpy(row + std::size_t{x} * picture.bytes_per_pixel + at, &word, sizeof(word));
      }
    }
  }
}

inline void Paint(const Picture& picture, std::uint32_t number) { PaintRows(picture, number, 0, picture.height); }

// The picture's counter-clockwise rotation in memory, as a rotated path requires it.
enum class Turned : std::uint8_t { kNot, k90, k180, k270 };

[[nodiscard]] constexpr bool IsQuarter(Turned turned) { return turned == Turned::k90 || turned == Turned::k270; }

struct Place {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
};

// Position of the picture's pixel (x, y) in a surface of width x height pixels.
[[nodiscard]] constexpr Place PlaceOf(std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height,
                                      Turned turned) {
  switch (turned) {
    case Turned::k90: return {y, height - 1 - x};
    case Turned::k180: return {width - 1 - x, height - 1 - y};
    case Turned::k270: return {width - 1 - y, x};
    case Turned::kNot: break;
  }
  return {x, y};
}

// The number of a whole picture; nothing if any pixel belongs to another frame. The extent is the surface's.
inline std::optional<std::uint32_t> ReadNumber(const std::byte* pixels, std::uint32_t width, std::uint32_t height,
                                               std::uint32_t pitch, std::uint32_t bytes_per_pixel, Turned turned,
                                               std::uint32_t opaque) {
  const auto at_pixel = [&](std::uint32_t x, std::uint32_t y) {
    const Place place = PlaceOf(x, y, width, height, turned);
    return pixels + std::size_t{place.y} * pitch + std::size_t{place.x} * bytes_per_pixel;
  };
  std::uint32_t number = 0;
  std::memcpy(&number, at_pixel(0, 0), sizeof(number));
  number &= ~opaque;
  const bool quarter = IsQuarter(turned);
  for (std::uint32_t y = 0; y < (quarter ? width : height); ++y) {
    for (std::uint32_t x = 0; x < (quarter ? height : width); ++x) {
      for (std::uint32_t at = 0; at < bytes_per_pixel; at += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, at_pixel(x, y) + at, sizeof(word));
        if (word != (PatternWord(number, x, y) | opaque)) return std::nullopt;
      }
    }
  }
  return number;
}

}  // namespace tandem::swapchain_test
