// The display-format table: formats of DXGI as a display adapter of the Direct3D 9 class has them.
#pragma once

#include <vector>

#include <d3dumddi.h>
#include <dxgiformat.h>

namespace tandem::shim {

// The format with equal bits; sRGB encoding is no part of a format in Direct3D 9. Numbers of four characters are the same in
// both. D3DDDIFMT_UNKNOWN: there is none.
[[nodiscard]] D3DDDIFORMAT ExactFormat(DXGI_FORMAT format);

// The formats that a display adapter declared for its display modes.
class ShownFormats {
 public:
  // Asks a driver by D3DDDICAPS_GETFORMATDATA. A driver that declares no display mode shows A8R8G8B8 and X8R8G8B8.
  [[nodiscard]] static ShownFormats Of(HANDLE adapter, PFND3DDDI_GETCAPS get_caps);

  [[nodiscard]] bool Shows(D3DDDIFORMAT format) const;
  // The format of a primary that copies write: equal bits if they are shown, A8R8G8B8 for what the copy converts to it.
  // D3DDDIFMT_UNKNOWN: neither.
  [[nodiscard]] D3DDDIFORMAT DisplayFormat(DXGI_FORMAT format) const;

 private:
  std::vector<D3DDDIFORMAT> formats_;
};

}  // namespace tandem::shim
