// The adapter of the translation; internal to it.
#pragma once

#include <memory>

#include "shim/class9/formats.h"
#include "shim/class9/live_handles.h"

#include <d3d10umddi.h>
#include <d3dumddi.h>

namespace tandem::shim {

// Our own memory. The driver below has its address as the runtime's handle, the runtime above as the driver's.
class Class9Adapter {
 public:
  // Opens the driver. It fails when the driver does, and when its answer cannot be used.
  static HRESULT Open(PFND3DDDI_OPENADAPTER driver, const D3D10DDIARG_OPENADAPTER& args, std::unique_ptr<Class9Adapter>& opened);
  // Closes the driver's adapter.
  ~Class9Adapter();
  Class9Adapter(const Class9Adapter&) = delete;
  Class9Adapter& operator=(const Class9Adapter&) = delete;

  [[nodiscard]] const ShownFormats& shown() const { return shown_; }
  // pfnEscapeCb comes with the adapter's first device and takes the adapter's handle.
  void SetEscape(PFND3DDDI_ESCAPECB escape) { rt_escape_ = escape; }
  HRESULT Escape(const D3DDDICB_ESCAPE& args) const { return rt_escape_(rt_adapter_, &args); }
  HRESULT CreateDevice(D3DDDIARG_CREATEDEVICE& args) const { return functions_.pfnCreateDevice(driver_, &args); }

  // The adapter behind a handle that a driver passed to a callback; null for any other value.
  [[nodiscard]] static const Class9Adapter* Find(HANDLE handle);

 private:
  explicit Class9Adapter(const D3D10DDIARG_OPENADAPTER& args);
  static HRESULT APIENTRY QueryAdapterInfo(HANDLE handle, CONST D3DDDICB_QUERYADAPTERINFO* args);
  static LiveHandles& Live();

  const HANDLE rt_adapter_;
  const D3DDDI_ADAPTERCALLBACKS& rt_callbacks_;
  PFND3DDDI_ESCAPECB rt_escape_ = nullptr;
  HANDLE driver_ = nullptr;
  D3DDDI_ADAPTERFUNCS functions_{};
  ShownFormats shown_;
};

}  // namespace tandem::shim
