// The DXGI functions: display commands go to the display adapter, the rest to the render adapter.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "shim/composite_device.h"
#include "shim/whole_blt.h"

namespace tandem::shim {
namespace {

// Back buffers of one swap chain.
constexpr UINT kMostRotated = 16;

CompositeDevice& Device(DXGI_DDI_HDEVICE handle) { return *reinterpret_cast<CompositeDevice*>(handle); }
CompositeResource& Resource(DXGI_DDI_HRESOURCE handle) { return *reinterpret_cast<CompositeResource*>(handle); }

// Calls a function of the display adapter's driver, with its error if it reports one.
template <class Function, class Args>
HRESULT OnDisplay(DXGI_DDI_HDEVICE device, Function function, Args args) {
  if (function == nullptr) return DXGI_DDI_ERR_UNSUPPORTED;
  DisplayDevice& display = Device(device).display();
  args.hDevice = display.dxgi_handle();
  const HRESULT result = function(&args);
  const HRESULT reported = display.TakeError();
  return FAILED(result) ? result : FAILED(reported) ? reported : result;
}

const DXGI1_3_DDI_BASE_FUNCTIONS& DisplayTable(DXGI_DDI_HDEVICE device) { return Device(device).display().dxgi(); }

HRESULT APIENTRY Present(DXGI_DDI_ARG_PRESENT* args) {
  if (args->hSurfaceToPresent == 0 || args->SrcSubResourceIndex != 0 || args->DstSubResourceIndex != 0) return E_INVALIDARG;
  CompositeResource& source = Resource(args->hSurfaceToPresent);
  if (source.display_memory == nullptr) return DXGI_DDI_ERR_UNSUPPORTED;
  if (args->Flags.Flip != 0 && source.primary) return Device(args->hDevice).Show(source, *args);
  DXGI_DDI_ARG_PRESENT exchanged = *args;
  exchanged.hSurfaceToPresent = ToDxgi(source.display());
  if (args->hDstResource != 0) {
    const CompositeResource& destination = Resource(args->hDstResource);
    if (destination.display_memory == nullptr) return DXGI_DDI_ERR_UNSUPPORTED;
    exchanged.hDstResource = ToDxgi(destination.display());
  }
  return OnDisplay(args->hDevice, DisplayTable(args->hDevice).pfnPresent, exchanged);
}

HRESULT APIENTRY GetGammaCaps(DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS* args) {
  return OnDisplay(args->hDevice, DisplayTable(args->hDevice).pfnGetGammaCaps, *args);
}

HRESULT APIENTRY SetDisplayMode(DXGI_DDI_ARG_SETDISPLAYMODE* args) {
  if (args->hResource == 0) return E_INVALIDARG;
  const CompositeResource& primary = Resource(args->hResource);
  if (primary.display_memory == nullptr) return DXGI_DDI_ERR_UNSUPPORTED;
  DXGI_DDI_ARG_SETDISPLAYMODE exchanged = *args;
  exchanged.hResource = ToDxgi(primary.display());
  return OnDisplay(args->hDevice, DisplayTable(args->hDevice).pfnSetDisplayMode, exchanged);
}

HRESULT APIENTRY SetResourcePriority(DXGI_DDI_ARG_SETRESOURCEPRIORITY* args) {
  if (args->hResource == 0) return E_INVALIDARG;
  const CompositeResource& resource = Resource(args->hResource);
  if (resource.display_memory == nullptr) return DXGI_DDI_ERR_UNSUPPORTED;
  DXGI_DDI_ARG_SETRESOURCEPRIORITY exchanged = *args;
  exchanged.hResource = ToDxgi(resource.display());
  return OnDisplay(args->hDevice, DisplayTable(args->hDevice).pfnSetResourcePriority, exchanged);
}

DXGI_DDI_RESIDENCY RenderResidency(CompositeDevice& device, const CompositeResource& resource) {
  D3DKMT_ALLOCATIONRESIDENCYSTATUS status = D3DKMT_ALLOCATIONRESIDENCYSTATUS_NOTRESIDENT;
  D3DKMT_QUERYALLOCATIONRESIDENCY query{};
  query.hDevice = device.render().kernel_device();
  query.hResource = resource.rendered()->kernel_resource();
  query.AllocationCount = 1;
  query.pResidencyStatus = &status;
  const bool asked = NT_SUCCESS(D3DKMTQueryAllocationResidency(&query));
  return asked ? static_cast<DXGI_DDI_RESIDENCY>(status) : DXGI_DDI_RESIDENCY_EVICTED_TO_DISK;
}

HRESULT APIENTRY QueryResourceResidency(DXGI_DDI_ARG_QUERYRESOURCERESIDENCY* args) {
  for (SIZE_T i = 0; i < args->Resources; ++i) {
    const CompositeResource& resource = Resource(args->pResources[i]);
    if (resource.display_memory == nullptr) {
      args->pStatus[i] = RenderResidency(Device(args->hDevice), resource);
      continue;
    }
    const DXGI_DDI_HRESOURCE display = ToDxgi(resource.display());
    const DXGI_DDI_ARG_QUERYRESOURCERESIDENCY one{0, &display, &args->pStatus[i], 1};
    const HRESULT asked = OnDisplay(args->hDevice, DisplayTable(args->hDevice).pfnQueryResourceResidency, one);
    if (FAILED(asked)) return asked;
  }
  return S_OK;
}

// X, Y, Z become Y, Z, X on both adapters. The display adapter's driver rotates what its resources mean, so they stay.
HRESULT APIENTRY RotateResourceIdentities(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES* args) {
  if (args->Resources == 0) return S_OK;
  if (args->Resources > kMostRotated || args->pResources == nullptr) return E_INVALIDARG;
  std::array<DXGI_DDI_HRESOURCE, kMostRotated> handles{};
  const CompositeResource& first = Resource(args->pResources[0]);
  for (UINT i = 0; i < args->Resources; ++i) {
    const CompositeResource& resource = Resource(args->pResources[i]);
    const bool alike = (resource.display_memory == nullptr) == (first.display_memory == nullptr) &&
                       (resource.drawn == nullptr) == (first.drawn == nullptr) && resource.width == first.width &&
                       resource.height == first.height;
    if (!alike) return E_INVALIDARG;
    handles[i] = ToDxgi(resource.display());
  }
  if (first.display_memory != nullptr) {
    DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES exchanged = *args;
    exchanged.pResources = handles.data();
    const HRESULT rotated = OnDisplay(args->hDevice, DisplayTable(args->hDevice).pfnRotateResourceIdentities, exchanged);
    if (FAILED(rotated)) return rotated;
  }
  for (UINT i = 0; i + 1 < args->Resources; ++i) {
    CompositeResource& one = Resource(args->pResources[i]);
    CompositeResource& next = Resource(args->pResources[i + 1]);
    std::swap(one.drawn, next.drawn);
    std::swap(one.crossing, next.crossing);
    std::swap(one.arrived, next.arrived);
    std::swap(one.copied_on, next.copied_on);
    std::swap(one.flip, next.flip);
  }
  return S_OK;
}

// Copies between surfaces that the render adapter has are rendering; those of the display adapter alone are its own.
HRESULT APIENTRY Blt1(DXGI_DDI_ARG_BLT1* args) {
  if (args->hSrcResource == 0 || args->hDstResource == 0) return E_INVALIDARG;
  const CompositeResource& source = Resource(args->hSrcResource);
  const CompositeResource& destination = Resource(args->hDstResource);
  if (source.rendered() != nullptr && destination.rendered() != nullptr)
    return Device(args->hDevice).Draw(source, destination, *args);
  if (source.display_memory == nullptr || destination.display_memory == nullptr) return DXGI_DDI_ERR_UNSUPPORTED;
  DXGI_DDI_ARG_BLT1 exchanged = *args;
  exchanged.hSrcResource = ToDxgi(source.display());
  exchanged.hDstResource = ToDxgi(destination.display());
  return OnDisplay(args->hDevice, DisplayTable(args->hDevice).pfnBlt1, exchanged);
}

// Takes the whole source.
HRESULT APIENTRY Blt(DXGI_DDI_ARG_BLT* args) {
  if (args->hSrcResource == 0) return E_INVALIDARG;
  const CompositeResource& source = Resource(args->hSrcResource);
  DXGI_DDI_ARG_BLT1 blt = WholeBlt(*args, source.width, source.height);
  return Blt1(&blt);
}

// Both adapters see the pages themselves: nothing is left to resolve.
HRESULT APIENTRY ResolveSharedResource(DXGI_DDI_ARG_RESOLVESHAREDRESOURCE* args) {
  const CompositeResource& resource = Resource(args->hResource);
  if (resource.display_memory == nullptr) return S_OK;
  DXGI_DDI_ARG_RESOLVESHAREDRESOURCE exchanged = *args;
  exchanged.hResource = ToDxgi(resource.display());
  return OnDisplay(args->hDevice, DisplayTable(args->hDevice).pfnResolveSharedResource, exchanged);
}

}  // namespace

void FillCompositeDxgi(DXGI1_3_DDI_BASE_FUNCTIONS& table) {
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
