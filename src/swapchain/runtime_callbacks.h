// The callbacks for a user-mode driver; each makes one call of the kernel. Internal to the module.
#pragma once

#include "swapchain/runtime.h"

namespace tandem::swapchain {

// Static tables; the first argument of each callback is the Runtime.
struct RuntimeCallbacks {
  static const D3DDDI_ADAPTERCALLBACKS& Adapter();
  static const D3DDDI_DEVICECALLBACKS& Device();
  static const D3D11DDI_CORELAYER_DEVICECALLBACKS& CoreLayer();
  static DXGI_DDI_BASE_CALLBACKS& Dxgi();  // the contract takes a pointer to non-const and does not write
};

}  // namespace tandem::swapchain
