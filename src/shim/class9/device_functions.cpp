// The device functions that the runtime above calls.
#include <new>

#include "shim/class9/device.h"

namespace tandem::shim {
namespace {

SIZE_T APIENTRY CalcPrivateResourceSize(D3D10DDI_HDEVICE /*device*/, CONST D3D11DDIARG_CREATERESOURCE* /*create*/) {
  return sizeof(Class9Resource);
}

SIZE_T APIENTRY CalcPrivateOpenedResourceSize(D3D10DDI_HDEVICE /*device*/, CONST D3D10DDIARG_OPENRESOURCE* /*open*/) {
  return sizeof(Class9Resource);
}

VOID APIENTRY CreateResource(D3D10DDI_HDEVICE device, CONST D3D11DDIARG_CREATERESOURCE* create, D3D10DDI_HRESOURCE resource,
                             D3D10DDI_HRTRESOURCE rt_resource) {
  auto* const created = new (resource.pDrvPrivate) Class9Resource();
  created->rt_resource = rt_resource.handle;
  const HRESULT result = FromHandle(device).CreateResource(*create, *created);
  if (FAILED(result)) FromHandle(device).SetError(result);
}

VOID APIENTRY OpenResource(D3D10DDI_HDEVICE device, CONST D3D10DDIARG_OPENRESOURCE* open, D3D10DDI_HRESOURCE resource,
                           D3D10DDI_HRTRESOURCE rt_resource) {
  auto* const opened = new (resource.pDrvPrivate) Class9Resource();
  opened->rt_resource = rt_resource.handle;
  const HRESULT result = FromHandle(device).OpenResource(*open, *opened);
  if (FAILED(result)) FromHandle(device).SetError(result);
}

VOID APIENTRY DestroyResource(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource) {
  FromHandle(device).DestroyResource(FromHandle(resource));
  FromHandle(resource).~Class9Resource();
}

VOID APIENTRY Flush(D3D10DDI_HDEVICE device) {
  const HRESULT flushed = FromHandle(device).Flush();
  if (FAILED(flushed)) FromHandle(device).SetError(flushed);
}

VOID APIENTRY DestroyDevice(D3D10DDI_HDEVICE device) { FromHandle(device).~Class9Device(); }

}  // namespace

void FillDeviceFunctions(D3D11DDI_DEVICEFUNCS& table) {
  table = {Flush,        CalcPrivateResourceSize, CalcPrivateOpenedResourceSize, CreateResource, OpenResource, DestroyResource,
           DestroyDevice};
}

}  // namespace tandem::shim
