// The DXGI functions that the runtime above calls.
#include <utility>

#include "shim/class9/device.h"
#include "shim/whole_blt.h"

namespace tandem::shim {
namespace {

HRESULT APIENTRY Present(DXGI_DDI_ARG_PRESENT* args) { return DeviceOf(args->hDevice).Present(*args); }

HRESULT APIENTRY GetGammaCaps(DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS* args) {
  *args->pGammaCapabilities = {};
  return S_OK;
}

HRESULT APIENTRY SetDisplayMode(DXGI_DDI_ARG_SETDISPLAYMODE* args) {
  if (args->hResource == 0) return E_INVALIDARG;
  return DeviceOf(args->hDevice).SetDisplayMode(ResourceOf(args->hResource), args->SubResourceIndex);
}

// X, Y, Z become Y, Z, X. The driver below keeps its resources; the runtime's resources name other ones of them afterwards.
HRESULT APIENTRY RotateResourceIdentities(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES* args) {
  if (args->Resources == 0) return S_OK;
  const Class9Resource& first = ResourceOf(args->pResources[0]);
  for (UINT i = 1; i < args->Resources; ++i) {
    const Class9Resource& other = ResourceOf(args->pResources[i]);
    if (other.width != first.width || other.height != first.height || other.format != first.format) return E_INVALIDARG;
  }
  for (UINT i = 0; i + 1 < args->Resources; ++i) {
    Class9Resource& here = ResourceOf(args->pResources[i]);
    Class9Resource& next = ResourceOf(args->pResources[i + 1]);
    std::swap(here.driver, next.driver);
    std::swap(here.token, next.token);
  }
  return S_OK;
}

HRESULT APIENTRY Blt1(DXGI_DDI_ARG_BLT1* args) { return DeviceOf(args->hDevice).Blt(*args); }

// Copies the whole source.
HRESULT APIENTRY Blt(DXGI_DDI_ARG_BLT* args) {
  if (args->hSrcResource == 0) return E_INVALIDARG;
  const Class9Resource& source = ResourceOf(args->hSrcResource);
  return DeviceOf(args->hDevice).Blt(WholeBlt(*args, source.width, source.height));
}

HRESULT APIENTRY SetResourcePriority(DXGI_DDI_ARG_SETRESOURCEPRIORITY* /*args*/) { return DXGI_DDI_ERR_UNSUPPORTED; }
HRESULT APIENTRY QueryResourceResidency(DXGI_DDI_ARG_QUERYRESOURCERESIDENCY* /*args*/) { return DXGI_DDI_ERR_UNSUPPORTED; }
HRESULT APIENTRY ResolveSharedResource(DXGI_DDI_ARG_RESOLVESHAREDRESOURCE* /*args*/) { return S_OK; }

}  // namespace

// The table of Windows 8.1, matching D3D11_DDI_INTERFACE_VERSION. Functions without a counterpart stay NULL.
void FillDxgiFunctions(DXGI1_3_DDI_BASE_FUNCTIONS& table) {
  table = {};
  table.pfnPresent = Present;
  table.pfnGetGammaCaps = GetGammaCaps;
  table.pfnSetDisplayMode = SetDisplayMode;
  table.pfnSetResourcePriority = SetResourcePriority;
  table.pfnQueryResourceResidency = QueryResourceResidency;
  table.pfnRotateResourceIdentities = RotateResourceIdentities;
  table.pfnBlt = Blt;
  table.pfnResolveSharedResource = ResolveSharedResource;
  table.pfnBlt1 = Blt1;
}

}  // namespace tandem::shim
