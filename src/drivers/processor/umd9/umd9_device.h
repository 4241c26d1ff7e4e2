// The user-mode half's device behind d3dumddi.h, Direct3D 9's interface. It has what a display adapter needs: resources, copies,
// presents, modes. It does not draw.
#pragma once

#include "drivers/processor/umd/umd_context.h"

#include <d3dumddi.h>

namespace tandem::processor {

// The object of a device's handle, in our own memory.
class Umd9Device final : public UmdContext {
 public:
  explicit Umd9Device(const UmdAdapter& adapter) : adapter_(adapter) {}

  [[nodiscard]] const UmdAdapter& adapter() const { return adapter_; }
  HRESULT PresentCb(const D3DDDICB_PRESENT& args) const { return callbacks().pfnPresentCb(rt_device(), &args); }
  HRESULT SetDisplayModeCb(D3DDDICB_SETDISPLAYMODE& args) const { return callbacks().pfnSetDisplayModeCb(rt_device(), &args); }

 private:
  const UmdAdapter& adapter_;
};

// umd9_device.cpp
void FillDeviceFunctions(D3DDDI_DEVICEFUNCS& table);

}  // namespace tandem::processor
