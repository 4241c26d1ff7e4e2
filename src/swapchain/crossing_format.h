// The format in which uncompressed frames cross: rendered format by what the display adapter shows.
#pragma once

#include <cstdint>
#include <string_view>

#include <dxgiformat.h>

namespace tandem::swapchain {

// Precision that reaches the screen. Frames with more precision are converted before that, on one side or the other.
enum class ShownDepth : std::uint8_t {
  kEightBits,   // eight bits a channel, sRGB
  kTenBits,     // R10G10B10A2 with all of its bits, sRGB
  kHalfFloats,  // each format unchanged, as a file of raw frames keeps it
};

// Conversion that the copy into the shared surface does to colours. A half float is scRGB, which is linear; other formats are
// encoded by the sRGB curve already.
enum class CrossingCurve : std::uint8_t { kNone, kLinearToSrgb };

struct CrossingFormat {
  DXGI_FORMAT format = DXGI_FORMAT_UNKNOWN;
  CrossingCurve curve = CrossingCurve::kNone;
  friend bool operator==(const CrossingFormat&, const CrossingFormat&) = default;
};

// The table. The converted pixel equals the pixel that an exact conversion on the display adapter would show, without dithering
// in every bit. Formats that the table does not name cross as they are.
[[nodiscard]] CrossingFormat CrossingFormatOf(DXGI_FORMAT rendered, ShownDepth shown);

// "B8G8R8A8_UNORM" and so on, and "NV12". Static storage.
[[nodiscard]] std::string_view NameOf(DXGI_FORMAT crossing);

}  // namespace tandem::swapchain
