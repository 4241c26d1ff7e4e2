// Frames on a screen of another size: a frame stands in the middle, and one that is larger is shrunk to fit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "color/blit.h"
#include "color/format.h"
#include "outputs/output.h"

namespace tandem::bus {

inline constexpr color::Format kScreenFormat = color::Format::kB8G8R8X8Unorm;
inline constexpr std::uint32_t kScreenPixelBytes = 4;

// The frame's place on a screen of width x height pixels.
[[nodiscard]] color::BlitRect PlaceOf(const outputs::Surface& frame, std::uint32_t width, std::uint32_t height);
[[nodiscard]] inline std::uint64_t ScreenBytesOf(const color::BlitRect& place) {
  return std::uint64_t{place.width()} * place.height() * kScreenPixelBytes;
}
// True if DrawFrame() takes frames of the format.
[[nodiscard]] bool CanDrawFrame(color::Format format);
// Draws the frame at its place into a picture of kScreenFormat; `pitch` in bytes. What lies around the frame is left.
void DrawFrame(const outputs::Surface& frame, const color::BlitRect& place, std::byte* picture, std::uint32_t pitch);

}  // namespace tandem::bus
