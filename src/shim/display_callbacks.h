// Callbacks for the display adapter's driver: each exchanges the shim's handle for the runtime's. Internal to the module.
#pragma once

#include "shim/display_driver.h"

namespace tandem::shim {

// Static tables; the first argument of each callback is the DisplayAdapter or the DisplayDevice.
struct DisplayCallbacks {
  static const D3DDDI_ADAPTERCALLBACKS& Adapter();
  static const D3DDDI_DEVICECALLBACKS& Device();
  static const D3D11DDI_CORELAYER_DEVICECALLBACKS& CoreLayer();
  static DXGI_DDI_BASE_CALLBACKS& Dxgi();  // the contract takes a pointer to non-const and does not write

 private:
  template <auto kSlot, class Args>
  static HRESULT Forward(HANDLE device, Args* args);
  static HRESULT Deallocate(HANDLE device, CONST D3DDDICB_DEALLOCATE* args);
  static HRESULT CreateContext(HANDLE device, D3DDDICB_CREATECONTEXT* args);
  static HRESULT Escape(HANDLE adapter, CONST D3DDDICB_ESCAPE* args);
  static HRESULT Present(HANDLE device, DXGIDDICB_PRESENT* args);
  static VOID SetError(D3D10DDI_HRTCORELAYER layer, HRESULT error);
};

}  // namespace tandem::shim
