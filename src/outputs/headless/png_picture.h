// A PNG picture as pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace tandem::outputs {

struct PngPicture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::byte> pixels;  // B8G8R8A8, rows one after the other
};

// Any PNG file of up to kMaxSurfaceExtent each way; more than eight bits a channel are rounded to eight. kIo for what cannot be
// read or is no PNG, kInvalidArgument for a larger one.
[[nodiscard]] Result<PngPicture> ReadPng(const std::string& path);

}  // namespace tandem::outputs
