#include "drivers/kms/kmd/formats.h"

#include <array>

#include "drivers/common/pixel_format.h"
#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

constexpr std::array<std::uint32_t, 2> kBgra{DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888};
constexpr std::array<std::uint32_t, 2> kRgba{DRM_FORMAT_XBGR8888, DRM_FORMAT_ABGR8888};
constexpr std::array<std::uint32_t, 2> kTenBits{DRM_FORMAT_XBGR2101010, DRM_FORMAT_ABGR2101010};
constexpr std::array<std::uint32_t, 1> kNv12{DRM_FORMAT_NV12};

}  // namespace

// Half floats are linear light, which a plane would show as if they were encoded: no name, so they are composed.
std::span<const std::uint32_t> OpaqueFourccs(color::Format format) {
  if (drivers::IsNv12(format)) return kNv12;
  switch (format) {
    case color::Format::kB8G8R8A8Unorm:
    case color::Format::kB8G8R8A8UnormSrgb:
    case color::Format::kB8G8R8X8Unorm: return kBgra;
    case color::Format::kR8G8B8A8Unorm:
    case color::Format::kR8G8B8A8UnormSrgb: return kRgba;
    case color::Format::kR10G10B10A2Unorm: return kTenBits;
    default: return {};
  }
}

bool IsComposable(color::Format format) {
  return BlendedFourcc(format) != 0 || format == color::Format::kB8G8R8X8Unorm || format == color::Format::kR10G10B10A2Unorm ||
         format == color::Format::kR16G16B16A16Float;
}

std::uint32_t BlendedFourcc(color::Format format) {
  switch (format) {
    case color::Format::kB8G8R8A8Unorm:
    case color::Format::kB8G8R8A8UnormSrgb: return DRM_FORMAT_ARGB8888;
    case color::Format::kR8G8B8A8Unorm:
    case color::Format::kR8G8B8A8UnormSrgb: return DRM_FORMAT_ABGR8888;
    default: return 0;
  }
}

}  // namespace tandem::kms
