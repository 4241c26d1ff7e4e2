// The callbacks that a Direct3D 9 driver has from the translation. Each finds the translation's device by the handle, exchanges
// the handles for those of the runtime above, and forwards the call to that runtime.
#pragma once

#include "shim/class9/device.h"

namespace tandem::shim {

struct Class9Callbacks {
  // A callback for each that the runtime above offers; others stay NULL, as they are there.
  [[nodiscard]] static D3DDDI_DEVICECALLBACKS TableFor(const D3DDDI_DEVICECALLBACKS& runtime,
                                                       const DXGI_DDI_BASE_CALLBACKS& dxgi);
  static LiveHandles& Live();

  static HRESULT APIENTRY Allocate(HANDLE device, D3DDDICB_ALLOCATE* args);
  static HRESULT APIENTRY Deallocate(HANDLE device, CONST D3DDDICB_DEALLOCATE* args);
  static HRESULT APIENTRY QueryResidency(HANDLE device, CONST D3DDDICB_QUERYRESIDENCY* args);
  static HRESULT APIENTRY Present(HANDLE device, CONST D3DDDICB_PRESENT* args);
  static HRESULT APIENTRY Escape(HANDLE adapter, CONST D3DDDICB_ESCAPE* args);
  // A callback whose arguments hold nothing to exchange.
  template <auto kSlot, class Args>
  static HRESULT APIENTRY Forward(HANDLE device, Args* args);
  static HRESULT APIENTRY CreateContext(HANDLE device, D3DDDICB_CREATECONTEXT* args);
  static HRESULT APIENTRY DestroyContext(HANDLE device, CONST D3DDDICB_DESTROYCONTEXT* args);

 private:
  // The device behind a handle that a driver passed; null for any other value.
  static Class9Device* Find(HANDLE handle);
  // The runtime's handle for what the driver has as its resource; false unless a call about that resource is running.
  static bool Exchange(const Class9Device& device, HANDLE token, HANDLE& rt_resource);
};

}  // namespace tandem::shim
