// The DXGI functions of a device.
#include <utility>

#include "drivers/processor/umd/umd_device.h"

namespace tandem::processor {
namespace {

UmdDevice& Device(DXGI_DDI_HDEVICE handle) { return *reinterpret_cast<UmdDevice*>(handle); }
UmdResource& Resource(DXGI_DDI_HRESOURCE handle) { return *reinterpret_cast<UmdResource*>(handle); }

HRESULT APIENTRY Present(DXGI_DDI_ARG_PRESENT* args) {
  if (args->hSurfaceToPresent == 0 || args->SrcSubResourceIndex != 0 || args->DstSubResourceIndex != 0) return E_INVALIDARG;
  const UmdResource& source = Resource(args->hSurfaceToPresent);
  UmdDevice& device = Device(args->hDevice);
  DXGIDDICB_PRESENT present{};
  present.hSrcAllocation = source.allocation;
  present.hDstAllocation = args->Flags.Blt != 0 && args->hDstResource != 0 ? Resource(args->hDstResource).allocation : 0;
  present.pDXGIContext = args->pDXGIContext;
  present.hContext = device.context();
  return device.PresentCb(present);
}

HRESULT APIENTRY GetGammaCaps(DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS* args) {
  *args->pGammaCapabilities = {};
  return S_OK;
}

// Scan-out takes its geometry from the surface, so a mode needs nothing but a primary.
HRESULT APIENTRY SetDisplayMode(DXGI_DDI_ARG_SETDISPLAYMODE* args) {
  if (args->hResource == 0 || args->SubResourceIndex != 0) return E_INVALIDARG;
  return (Resource(args->hResource).data.flags & kAllocationPrimary) != 0 ? S_OK : DXGI_DDI_ERR_UNSUPPORTED;
}

HRESULT APIENTRY SetResourcePriority(DXGI_DDI_ARG_SETRESOURCEPRIORITY* /*args*/) { return DXGI_DDI_ERR_UNSUPPORTED; }

// Asks the kernel. Evicted resources stay in system memory; nothing goes to disk.
HRESULT APIENTRY QueryResourceResidency(DXGI_DDI_ARG_QUERYRESOURCERESIDENCY* args) {
  for (SIZE_T i = 0; i < args->Resources; ++i) {
    D3DDDI_RESIDENCYSTATUS status = D3DDDI_RESIDENCYSTATUS_NOTRESIDENT;
    const D3DDDICB_QUERYRESIDENCY query{nullptr, 1, &Resource(args->pResources[i]).allocation, &status};
    if (const HRESULT result = Device(args->hDevice).QueryResidency(query); FAILED(result)) return result;
    args->pStatus[i] = static_cast<DXGI_DDI_RESIDENCY>(status);
  }
  return S_OK;
}

// X, Y, Z become Y, Z, X: the kernel's handles rotate, the runtime's stay.
HRESULT APIENTRY RotateResourceIdentities(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES* args) {
  if (args->Resources == 0) return S_OK;
  const AllocationData& shape = Resource(args->pResources[0]).data;
  for (UINT i = 1; i < args->Resources; ++i) {
    const AllocationData& data = Resource(args->pResources[i]).data;
    if (data.width != shape.width || data.height != shape.height || data.format != shape.format || data.pitch != shape.pitch) {
      return E_INVALIDARG;
    }
  }
  for (UINT i = 0; i + 1 < args->Resources; ++i) {
    std::swap(Resource(args->pResources[i]).allocation, Resource(args->pResources[i + 1]).allocation);
    std::swap(Resource(args->pResources[i]).km_resource, Resource(args->pResources[i + 1]).km_resource);
  }
  return S_OK;
}

HRESULT CopySubresource(const DXGI_DDI_ARG_BLT1& blt) {
  if (blt.SrcSubresource != 0 || blt.DstSubresource != 0) return E_INVALIDARG;
  const bool upright = blt.Rotate == DXGI_DDI_MODE_ROTATION_UNSPECIFIED || blt.Rotate == DXGI_DDI_MODE_ROTATION_IDENTITY;
  if (!upright) return DXGI_DDI_ERR_UNSUPPORTED;
  const auto rect = [](UINT left, UINT top, UINT right, UINT bottom) {
    return RECT{static_cast<LONG>(left), static_cast<LONG>(top), static_cast<LONG>(right), static_cast<LONG>(bottom)};
  };
  return Device(blt.hDevice)
      .CopyRects(Resource(blt.hSrcResource), rect(blt.SrcLeft, blt.SrcTop, blt.SrcRight, blt.SrcBottom),
                 Resource(blt.hDstResource), rect(blt.DstLeft, blt.DstTop, blt.DstRight, blt.DstBottom));
}

HRESULT APIENTRY Blt1(DXGI_DDI_ARG_BLT1* args) {
  if (args->hSrcResource == 0 || args->hDstResource == 0) return E_INVALIDARG;
  return CopySubresource(*args);
}

// Copies the whole source.
HRESULT APIENTRY Blt(DXGI_DDI_ARG_BLT* args) {
  if (args->hSrcResource == 0 || args->hDstResource == 0) return E_INVALIDARG;
  const AllocationData& source = Resource(args->hSrcResource).data;
  DXGI_DDI_ARG_BLT1 blt{};
  blt.hDevice = args->hDevice;
  blt.hDstResource = args->hDstResource;
  blt.DstSubresource = args->DstSubresource;
  blt.DstLeft = args->DstLeft;
  blt.DstTop = args->DstTop;
  blt.DstRight = args->DstRight;
  blt.DstBottom = args->DstBottom;
  blt.hSrcResource = args->hSrcResource;
  blt.SrcSubresource = args->SrcSubresource;
  blt.SrcRight = source.width;
  blt.SrcBottom = source.height;
  blt.Flags = args->Flags;
  blt.Rotate = args->Rotate;
  return CopySubresource(blt);
}

HRESULT APIENTRY ResolveSharedResource(DXGI_DDI_ARG_RESOLVESHAREDRESOURCE* /*args*/) { return S_OK; }

}  // namespace

// The table of Windows 8.1, matching D3D11_DDI_INTERFACE_VERSION. Unsupported functions stay NULL.
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

}  // namespace tandem::processor
