// Reads a PNG picture as pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace tandem::outputs {

// Maximum size of a file: the largest picture without compression, at four bytes a pixel.
inline constexpr std::size_t kMaxPngBytes = std::size_t{1} << 30;

struct PngPicture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::byte> pixels;  // B8G8R8A8, rows without padding
};

// Reads any PNG file up to kMaxSurfaceExtent in each direction; rounds more than eight bits a channel to eight. kIo if the file
// is unreadable or no PNG. kInvalidArgument if it is larger, or too short for its pixels.
[[nodiscard]] Result<PngPicture> ReadPng(const std::string& path);

// Decodes a PNG file in memory; error messages contain `name`.
[[nodiscard]] Result<PngPicture> DecodePng(std::span<const std::byte> bytes, const std::string& name);

}  // namespace tandem::outputs
