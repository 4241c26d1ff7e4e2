// Pixel formats that cross adapters. Values equal DXGI_FORMAT (dxgiformat.h), so no table translates between both.
#pragma once

#include <cstdint>
#include <string_view>

namespace tandem::color {

enum class Format : std::uint32_t {
  kUnknown = 0,
  kR16G16B16A16Float = 10,
  kR10G10B10A2Unorm = 24,  // R in bits 0..9: VK_FORMAT_A2B10G10R10_UNORM_PACK32
  kR8G8B8A8Unorm = 28,
  kR8G8B8A8UnormSrgb = 29,
  kB8G8R8A8Unorm = 87,
  kB8G8R8X8Unorm = 88,
  kB8G8R8A8UnormSrgb = 91,
};

// Bytes of one pixel; 0 for kUnknown and for values outside the enumeration.
[[nodiscard]] std::uint32_t BytesPerPixel(Format format);

// "B8G8R8A8_UNORM" and so on; "UNKNOWN" for anything else. Static storage.
[[nodiscard]] std::string_view ToString(Format format);

}  // namespace tandem::color
