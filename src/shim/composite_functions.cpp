// The device's functions: each goes to the adapter whose work it is.
#include <new>

#include "shim/composite_device.h"

namespace tandem::shim {
namespace {

VOID APIENTRY Flush(D3D10DDI_HDEVICE handle) {
  CompositeDevice& device = CompositeOf(handle);
  const HRESULT render = device.render().Flush();
  device.display().functions().pfnFlush(device.display().handle());
  const HRESULT display = device.display().TakeError();
  if (FAILED(render) || FAILED(display)) device.display().SetError(FAILED(render) ? render : display);
}

SIZE_T APIENTRY CalcPrivateResourceSize(D3D10DDI_HDEVICE /*device*/, CONST D3D11DDIARG_CREATERESOURCE* /*create*/) {
  return sizeof(CompositeResource);
}

SIZE_T APIENTRY CalcPrivateOpenedResourceSize(D3D10DDI_HDEVICE /*device*/, CONST D3D10DDIARG_OPENRESOURCE* /*open*/) {
  return sizeof(CompositeResource);
}

// A resource that failed is not destroyed by the runtime.
void Report(CompositeDevice& device, HRESULT result, CompositeResource& resource) {
  if (SUCCEEDED(result)) return;
  resource.~CompositeResource();
  device.display().SetError(result);
}

VOID APIENTRY CreateResource(D3D10DDI_HDEVICE handle, CONST D3D11DDIARG_CREATERESOURCE* create, D3D10DDI_HRESOURCE memory,
                             D3D10DDI_HRTRESOURCE runtimes) {
  CompositeDevice& device = CompositeOf(handle);
  auto* const resource = new (memory.pDrvPrivate) CompositeResource();
  Report(device, device.Create(*create, *resource, runtimes), *resource);
}

VOID APIENTRY OpenResource(D3D10DDI_HDEVICE handle, CONST D3D10DDIARG_OPENRESOURCE* open, D3D10DDI_HRESOURCE memory,
                           D3D10DDI_HRTRESOURCE runtimes) {
  CompositeDevice& device = CompositeOf(handle);
  auto* const resource = new (memory.pDrvPrivate) CompositeResource();
  Report(device, device.OpenResource(*open, *resource, runtimes), *resource);
}

VOID APIENTRY DestroyResource(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource) {
  CompositeOf(handle).Destroy(CompositeOf(resource));
  CompositeOf(resource).~CompositeResource();
}

VOID APIENTRY DestroyDevice(D3D10DDI_HDEVICE handle) { CompositeOf(handle).~CompositeDevice(); }

}  // namespace

void FillCompositeFunctions(D3D11DDI_DEVICEFUNCS& table) {
  table = {};
  table.pfnFlush = Flush;
  table.pfnCalcPrivateResourceSize = CalcPrivateResourceSize;
  table.pfnCalcPrivateOpenedResourceSize = CalcPrivateOpenedResourceSize;
  table.pfnCreateResource = CreateResource;
  table.pfnOpenResource = OpenResource;
  table.pfnDestroyResource = DestroyResource;
  table.pfnDestroyDevice = DestroyDevice;
}

}  // namespace tandem::shim
