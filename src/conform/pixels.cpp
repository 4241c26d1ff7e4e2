#include "conform/pixels.h"

#include <array>
#include <cstring>

#include "conform/rule.h"

namespace tandem::conform {

std::span<const PixelFormat> PixelFormats() {
  static constexpr std::uint64_t kBlue8 = 0xFF, kGreen8 = 0xFF00, kRed8 = 0xFF0000, kRgb8 = 0xFFFFFF;
  static constexpr std::uint64_t kOne = 0x3C00;  // a half float
  static constexpr std::array<PixelFormat, 7> kFormats{{
      {D3DDDIFMT_A8R8G8B8, "A8R8G8B8", 4, kRed8, kGreen8, kBlue8, kRgb8},
      {D3DDDIFMT_X8R8G8B8, "X8R8G8B8", 4, kRed8, kGreen8, kBlue8, kRgb8},
      {D3DDDIFMT_A8B8G8R8, "A8B8G8R8", 4, kBlue8, kGreen8, kRed8, kRgb8},
      {D3DDDIFMT_X8B8G8R8, "X8B8G8R8", 4, kBlue8, kGreen8, kRed8, kRgb8},
      {D3DDDIFMT_A2B10G10R10, "A2B10G10R10", 4, 0x3FF, 0x3FFULL << 10, 0x3FFULL << 20, 0x3FFFFFFF},
      {D3DDDIFMT_A16B16G16R16F, "A16B16G16R16F", 8, kOne, kOne << 16, kOne << 32, 0xFFFFFFFFFFFF},
      {D3DDDIFMT_R5G6B5, "R5G6B5", 2, 0x1FULL << 11, 0x3FULL << 5, 0x1F, 0xFFFF},
  }};
  return kFormats;
}

std::uint64_t CornerPixel(const PixelFormat& format, std::uint32_t corner) {
  return ((corner & 4) != 0 ? format.full_red : 0) | ((corner & 2) != 0 ? format.full_green : 0) |
         ((corner & 1) != 0 ? format.full_blue : 0);
}

UINT CornerColor(std::uint32_t corner) {
  return 0xFF000000 | ((corner & 4) != 0 ? 0xFF0000U : 0) | ((corner & 2) != 0 ? 0xFF00U : 0) | ((corner & 1) != 0 ? 0xFFU : 0);
}

std::optional<Surface> TryCreate(UserDevice& user, const SurfaceRequest& request) {
  try {
    Surface made;
    const auto sharing = request.use == SurfaceUse::kCrossAdapter ? CreateSharing::kGlobal : CreateSharing::kNo;
    if (NT_SUCCESS(user.CreateFrom(user.Describe(request), request, sharing, made))) return made;
  } catch (const NotApplicable&) {
  }
  return std::nullopt;
}

void WritePixels(UserDevice& user, const Surface& surface, std::uint32_t bytes,
                 const std::function<std::uint64_t(std::uint32_t x, std::uint32_t y)>& pixel) {
  std::byte* const rows = user.Lock(surface);
  for (std::uint32_t y = 0; y < surface.request.height; ++y) {
    for (std::uint32_t x = 0; x < surface.request.width; ++x) {
      const std::uint64_t bits = pixel(x, y);  // little-endian
      std::memcpy(rows + std::size_t{y} * surface.pitch + std::size_t{x} * bytes, &bits, bytes);
    }
  }
  user.Unlock(surface);
}

std::vector<std::uint64_t> ReadPixels(UserDevice& user, const Surface& surface, std::uint32_t bytes) {
  const std::byte* const rows = user.Lock(surface);
  std::vector<std::uint64_t> pixels(std::size_t{surface.request.width} * surface.request.height);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const std::size_t x = i % surface.request.width, y = i / surface.request.width;
    std::memcpy(&pixels[i], rows + y * surface.pitch + x * bytes, bytes);
  }
  user.Unlock(surface);
  return pixels;
}

}  // namespace tandem::conform
