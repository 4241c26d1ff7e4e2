#include "drivers/common/pixel_format.h"

#include "link/surface/link_surface.h"

namespace tandem::drivers {

D3DDDIFORMAT ToD3dddiFormat(color::Format format) {
  if (format == link::kLinkFormat) return static_cast<D3DDDIFORMAT>(format);
  if (format == kPaletteFormat) return D3DDDIFMT_P8;
  if (format == color::kNv12) return D3DDDIFMT_NV12;
  switch (format) {
    case color::Format::kR16G16B16A16Float: return D3DDDIFMT_A16B16G16R16F;
    case color::Format::kR10G10B10A2Unorm: return D3DDDIFMT_A2B10G10R10;
    case color::Format::kR8G8B8A8Unorm:
    case color::Format::kR8G8B8A8UnormSrgb: return D3DDDIFMT_A8B8G8R8;
    case color::Format::kB8G8R8A8Unorm:
    case color::Format::kB8G8R8A8UnormSrgb: return D3DDDIFMT_A8R8G8B8;
    case color::Format::kB8G8R8X8Unorm: return D3DDDIFMT_X8R8G8B8;
    case color::Format::kUnknown: break;
  }
  return D3DDDIFMT_UNKNOWN;
}

color::Format ToColorFormat(D3DDDIFORMAT format) {
  if (static_cast<color::Format>(format) == link::kLinkFormat) return link::kLinkFormat;
  switch (format) {
    case D3DDDIFMT_A16B16G16R16F: return color::Format::kR16G16B16A16Float;
    case D3DDDIFMT_A2B10G10R10: return color::Format::kR10G10B10A2Unorm;
    case D3DDDIFMT_A8B8G8R8:
    case D3DDDIFMT_X8B8G8R8: return color::Format::kR8G8B8A8Unorm;
    case D3DDDIFMT_A8R8G8B8: return color::Format::kB8G8R8A8Unorm;
    case D3DDDIFMT_X8R8G8B8: return color::Format::kB8G8R8X8Unorm;
    case D3DDDIFMT_P8: return kPaletteFormat;
    case D3DDDIFMT_NV12: return color::kNv12;
    default: return color::Format::kUnknown;
  }
}

}  // namespace tandem::drivers
