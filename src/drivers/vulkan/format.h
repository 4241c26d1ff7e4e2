// The three names of a pixel format: DXGI's (color::Format), the kernel contract's and Vulkan's.
#pragma once

#include <vulkan/vulkan_core.h>

#include "color/format.h"

#include <d3dukmdt.h>

namespace tandem::vulkan {

// Indexes of a palette, one byte a pixel (DXGI_FORMAT_P8, D3DDDIFMT_P8). Vulkan has no such format: such surfaces are rows, and
// what is shown of them is rows of kShownPaletteFormat.
inline constexpr color::Format kPaletteFormat{113};
inline constexpr color::Format kShownPaletteFormat = color::Format::kB8G8R8A8Unorm;
// 0 for what has no pixels.
[[nodiscard]] inline std::uint32_t PixelBytes(color::Format format) {
  return format == kPaletteFormat ? 1 : color::BytesPerPixel(format);
}

// VK_FORMAT_UNDEFINED for kUnknown and kPaletteFormat. B8G8R8X8 has no name of its own in Vulkan and becomes
// VK_FORMAT_B8G8R8A8_UNORM.
[[nodiscard]] VkFormat ToVkFormat(color::Format format);

// sRGB and linear share one; D3DDDIFMT_UNKNOWN for kUnknown.
[[nodiscard]] D3DDDIFORMAT ToD3dddiFormat(color::Format format);
// kUnknown for formats that do not cross adapters.
[[nodiscard]] color::Format ToColorFormat(D3DDDIFORMAT format);

// color::SameBits for Vulkan's names, among those that ToVkFormat answers.
[[nodiscard]] bool SameBits(VkFormat a, VkFormat b);

}  // namespace tandem::vulkan
