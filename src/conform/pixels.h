// Pixel values of colours, for rules about formats. A channel is 0 or full, and every format represents both exactly.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "conform/user_device.h"

namespace tandem::conform {

struct PixelFormat {
  D3DDDIFORMAT format = D3DDDIFMT_UNKNOWN;
  const char* name = "";
  std::uint32_t bytes = 0;     // per pixel
  std::uint64_t full_red = 0;  // a full channel's bits
  std::uint64_t full_green = 0;
  std::uint64_t full_blue = 0;
  std::uint64_t color_mask = 0;  // the bits that are neither alpha nor unused
};

// Formats of the presents under test.
[[nodiscard]] std::span<const PixelFormat> PixelFormats();

// Bit 2 of `corner` is red, bit 1 green, bit 0 blue.
[[nodiscard]] std::uint64_t CornerPixel(const PixelFormat& format, std::uint32_t corner);
// The corner's colour as D3DKMT_PRESENT.Color encodes it.
[[nodiscard]] UINT CornerColor(std::uint32_t corner);

// Nothing if the driver has no such surface.
[[nodiscard]] std::optional<Surface> TryCreate(UserDevice& user, const SurfaceRequest& request);

// Writes pixels of `bytes` bytes. Precondition: the processor can reach the surface.
void WritePixels(UserDevice& user, const Surface& surface, std::uint32_t bytes,
                 const std::function<std::uint64_t(std::uint32_t x, std::uint32_t y)>& pixel);
[[nodiscard]] std::vector<std::uint64_t> ReadPixels(UserDevice& user, const Surface& surface, std::uint32_t bytes);

}  // namespace tandem::conform
