// The device and the resources of the translation; internal to it. Both lie in the runtime's memory.
#pragma once

#include <vector>

#include "shim/class9/adapter.h"

#include <d3d10umddi.h>
#include <d3dumddi.h>

namespace tandem::shim {

// The object of a D3D10DDI_HRESOURCE.
struct Class9Resource {
  UINT width = 0;
  UINT height = 0;
  D3DDDIFORMAT format = D3DDDIFMT_UNKNOWN;  // of the driver's surface; D3DDDIFMT_UNKNOWN: opened
  HANDLE rt_resource = nullptr;             // the handle of the runtime above
  bool allocated = false;                   // the runtime holds kernel handles for rt_resource
  // These two rotate.
  HANDLE driver = nullptr;      // the driver's handle; null: creation failed
  const void* token = nullptr;  // what the driver has as the runtime's handle
};

// The object of a D3D10DDI_HDEVICE. Threads: the runtime calls on one thread at a time, and callbacks come within its calls.
class Class9Device {
 public:
  // Constructs the device in the runtime's memory and fills the runtime's tables. After an error nothing is left open.
  static HRESULT Create(Class9Adapter& adapter, D3D10DDIARG_CREATEDEVICE& args);
  // Destroys the driver's device and what it left open.
  ~Class9Device();
  Class9Device(const Class9Device&) = delete;
  Class9Device& operator=(const Class9Device&) = delete;

  // Each calls the driver; errors are those of the Direct3D 10 interface.
  HRESULT CreateResource(const D3D11DDIARG_CREATERESOURCE& create, Class9Resource& resource);
  HRESULT OpenResource(const D3D10DDIARG_OPENRESOURCE& open, Class9Resource& resource);
  // Frees the kernel's handles if the driver has not.
  void DestroyResource(Class9Resource& resource);
  HRESULT Present(const DXGI_DDI_ARG_PRESENT& args);
  HRESULT Blt(const DXGI_DDI_ARG_BLT1& args);
  HRESULT SetDisplayMode(const Class9Resource& resource, UINT subresource);
  HRESULT Flush();

  // Reports an error of a function that returns void.
  void SetError(HRESULT error) const { core_callbacks_.pfnSetErrorCb(core_layer_, error); }

 private:
  friend struct Class9Callbacks;
  // The present that the driver is in.
  struct RunningPresent {
    VOID* context = nullptr;  // pDXGIContext
    bool called_back = false;
  };

  Class9Device(const Class9Adapter& adapter, const D3D10DDIARG_CREATEDEVICE& args);
  HRESULT OpenDriver();
  // Creates the surface by pfnCreateResource2, or by pfnCreateResource if that is enough.
  HRESULT CallCreate(D3DDDIARG_CREATERESOURCE2& args, Class9Resource& resource);
  // Takes the handle of a driver that answered `result` to a create or open call; E_FAIL if it left the runtime's.
  HRESULT TakeHandle(HRESULT result, HANDLE answered, Class9Resource& resource);
  void FreeLeft(Class9Resource& resource);

  const Class9Adapter& adapter_;
  const HANDLE rt_device_;
  const D3DDDI_DEVICECALLBACKS& rt_callbacks_;
  const D3D10DDI_HRTCORELAYER core_layer_;
  const D3D11DDI_CORELAYER_DEVICECALLBACKS& core_callbacks_;
  const DXGI_DDI_BASE_CALLBACKS& dxgi_callbacks_;

  D3DDDI_DEVICECALLBACKS callbacks_{};  // the driver has this table until its device is destroyed
  D3DDDI_DEVICEFUNCS functions_{};
  HANDLE driver_ = nullptr;
  std::vector<HANDLE> contexts_;  // that the driver created and has not destroyed

  // Set while the driver is in a call about that resource or present.
  Class9Resource* running_resource_ = nullptr;
  RunningPresent* running_present_ = nullptr;
};

[[nodiscard]] inline Class9Device& FromHandle(D3D10DDI_HDEVICE handle) { return *static_cast<Class9Device*>(handle.pDrvPrivate); }
[[nodiscard]] inline Class9Resource& FromHandle(D3D10DDI_HRESOURCE handle) {
  return *static_cast<Class9Resource*>(handle.pDrvPrivate);
}
[[nodiscard]] inline Class9Device& DeviceOf(DXGI_DDI_HDEVICE handle) { return *reinterpret_cast<Class9Device*>(handle); }
[[nodiscard]] inline Class9Resource& ResourceOf(DXGI_DDI_HRESOURCE handle) { return *reinterpret_cast<Class9Resource*>(handle); }

// device_functions.cpp
void FillDeviceFunctions(D3D11DDI_DEVICEFUNCS& table);
// dxgi_functions.cpp
void FillDxgiFunctions(DXGI1_3_DDI_BASE_FUNCTIONS& table);

}  // namespace tandem::shim
