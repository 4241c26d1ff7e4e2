#include "color/format.h"

namespace tandem::color {

std::uint32_t BytesPerPixel(Format format) {
  switch (format) {
    case Format::kR16G16B16A16Float: return 8;
    case Format::kR10G10B10A2Unorm:
    case Format::kR8G8B8A8Unorm:
    case Format::kR8G8B8A8UnormSrgb:
    case Format::kB8G8R8A8Unorm:
    case Format::kB8G8R8X8Unorm:
    case Format::kB8G8R8A8UnormSrgb: return 4;
    case Format::kUnknown: break;
  }
  return 0;
}

std::string_view ToString(Format format) {
  switch (format) {
    case Format::kR16G16B16A16Float: return "R16G16B16A16_FLOAT";
    case Format::kR10G10B10A2Unorm: return "R10G10B10A2_UNORM";
    case Format::kR8G8B8A8Unorm: return "R8G8B8A8_UNORM";
    case Format::kR8G8B8A8UnormSrgb: return "R8G8B8A8_UNORM_SRGB";
    case Format::kB8G8R8A8Unorm: return "B8G8R8A8_UNORM";
    case Format::kB8G8R8X8Unorm: return "B8G8R8X8_UNORM";
    case Format::kB8G8R8A8UnormSrgb: return "B8G8R8A8_UNORM_SRGB";
    case Format::kUnknown: break;
  }
  return "UNKNOWN";
}

}  // namespace tandem::color
