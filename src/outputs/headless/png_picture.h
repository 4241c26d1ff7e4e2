// A PNG picture as pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace tandem::outputs {

// Of a file: what the largest picture takes without any packing, at four bytes a pixel.
inline constexpr std::size_t kMaxPngBytes = std::size_t{1} << 30;

struct PngPicture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::byte> pixels;  // B8G8R8A8, rows one after the other
};

// Any PNG file of up to kMaxSurfaceExtent each way; more than eight bits a channel are rounded to eight. kIo for what cannot be
// read or is no PNG, kInvalidArgument for one that is larger, or that has too few bytes to hold its pixels.
[[nodiscard]] Result<PngPicture> ReadPng(const std::string& path);

// The same of bytes at hand; `name` stands in errors.
[[nodiscard]] Result<PngPicture> DecodePng(std::span<const std::byte> bytes, const std::string& name);

}  // namespace tandem::outputs
