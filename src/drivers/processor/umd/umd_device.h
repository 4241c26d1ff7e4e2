// The user-mode half's device behind d3d10umddi.h. Device and resources lie in the runtime's memory.
#pragma once

#include "drivers/processor/umd/umd_context.h"

#include <d3d10umddi.h>

namespace tandem::processor {

// The object of a D3D10DDI_HDEVICE.
class UmdDevice final : public UmdContext {
 public:
  // Copies the callback pointers and creates a context on the render node. After a failure no other function may be called.
  HRESULT Open(const UmdAdapter& adapter, const D3D10DDIARG_CREATEDEVICE& args);

  [[nodiscard]] const UmdAdapter& adapter() const { return *adapter_; }

  // Reports an error of a function that returns void.
  void SetError(HRESULT error) const { core_callbacks_->pfnSetErrorCb(core_layer_, error); }
  HRESULT PresentCb(DXGIDDICB_PRESENT& args) const { return dxgi_callbacks_->pfnPresentCb(rt_device(), &args); }

 private:
  const UmdAdapter* adapter_ = nullptr;
  D3D10DDI_HRTCORELAYER core_layer_{};
  const D3D11DDI_CORELAYER_DEVICECALLBACKS* core_callbacks_ = nullptr;
  const DXGI_DDI_BASE_CALLBACKS* dxgi_callbacks_ = nullptr;
};

[[nodiscard]] inline UmdDevice& FromHandle(D3D10DDI_HDEVICE handle) { return *static_cast<UmdDevice*>(handle.pDrvPrivate); }
[[nodiscard]] inline UmdResource& FromHandle(D3D10DDI_HRESOURCE handle) { return *static_cast<UmdResource*>(handle.pDrvPrivate); }

// umd_resource.cpp
void FillDeviceFunctions(D3D11DDI_DEVICEFUNCS& table);
// umd_dxgi.cpp
void FillDxgiFunctions(DXGI1_3_DDI_BASE_FUNCTIONS& table);

}  // namespace tandem::processor
