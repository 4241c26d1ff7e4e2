// HRESULTs of the two driver interfaces.
#pragma once

#include <wddm_status.h>

namespace tandem::shim {

// A Direct3D 9 driver's answer for the runtime of Direct3D 10.
[[nodiscard]] constexpr HRESULT ToDxgi(HRESULT answer) {
  if (answer == D3DDDIERR_NOTAVAILABLE) return DXGI_DDI_ERR_UNSUPPORTED;
  return answer == D3DDDIERR_WASSTILLDRAWING ? DXGI_DDI_ERR_WASSTILLDRAWING : answer;
}

// The runtime's answer to a callback for a Direct3D 9 driver.
[[nodiscard]] constexpr HRESULT ToClass9(HRESULT answer) {
  if (answer == DXGI_DDI_ERR_UNSUPPORTED) return D3DDDIERR_NOTAVAILABLE;
  return answer == DXGI_DDI_ERR_WASSTILLDRAWING ? D3DDDIERR_WASSTILLDRAWING : answer;
}

}  // namespace tandem::shim
