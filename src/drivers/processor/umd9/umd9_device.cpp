// The device's functions.
#include "drivers/processor/umd9/umd9_device.h"

#include <memory>
#include <new>

#include "drivers/common/pixel_format.h"

namespace tandem::processor {
namespace {

Umd9Device& Device(HANDLE handle) { return *static_cast<Umd9Device*>(handle); }
UmdResource& Resource(HANDLE handle) { return *static_cast<UmdResource*>(handle); }

bool IsPlainSurface(const D3DDDIARG_CREATERESOURCE2& create) {
  return create.pSurfList != nullptr && create.SurfCount == 1 && create.MipLevels <= 1 &&
         create.MultisampleType == D3DDDIMULTISAMPLE_NONE && create.Pool != D3DDDIPOOL_SYSTEMMEM;
}

// A primary is shown or refused: this interface has no primaries that are only copied from.
HRESULT Examine(const UmdAdapter& adapter, const D3DDDIARG_CREATERESOURCE2& create, AllocationData& data) {
  if (!IsPlainSurface(create)) return D3DDDIERR_NOTAVAILABLE;
  UmdSurface surface{create.pSurfList->Width, create.pSurfList->Height, drivers::ToColorFormat(create.Format), 0, 0};
  if (create.Flags2.CrossAdapter != 0) surface.flags |= kAllocationCrossAdapter;
  if (create.Flags.Primary != 0) {
    surface.vidpn_source = create.VidPnSourceId;
    if (create.Rotation > D3DDDI_ROTATION_IDENTITY || !ScansOut(adapter, surface)) return D3DDDIERR_NOTAVAILABLE;
    surface.flags |= kAllocationPrimary;
  }
  const HRESULT described = Describe(adapter, surface, data);
  return described == DXGI_DDI_ERR_UNSUPPORTED ? D3DDDIERR_NOTAVAILABLE : described;
}

HRESULT APIENTRY CreateResource2(HANDLE device, D3DDDIARG_CREATERESOURCE2* args) {
  std::unique_ptr<UmdResource> resource(new (std::nothrow) UmdResource());
  if (resource == nullptr) return E_OUTOFMEMORY;
  resource->rt_resource = args->hResource;
  if (const HRESULT examined = Examine(Device(device).adapter(), *args, resource->data); FAILED(examined)) return examined;
  if (const HRESULT allocated = Device(device).Allocate(*resource); FAILED(allocated)) return allocated;
  args->hResource = resource.release();
  return S_OK;
}

HRESULT APIENTRY CreateResource(HANDLE device, D3DDDIARG_CREATERESOURCE* args) {
  D3DDDIARG_CREATERESOURCE2 create{
      args->Format,    args->Pool, args->MultisampleType, args->MultisampleQuality, args->pSurfList, args->SurfCount,
      args->MipLevels, args->Fvf,  args->VidPnSourceId,   args->RefreshRate,        args->hResource, args->Flags,
      args->Rotation,  {}};
  const HRESULT created = CreateResource2(device, &create);
  args->hResource = create.hResource;
  return created;
}

HRESULT APIENTRY OpenResource(HANDLE /*device*/, D3DDDIARG_OPENRESOURCE* args) {
  std::unique_ptr<UmdResource> resource(new (std::nothrow) UmdResource());
  if (resource == nullptr) return E_OUTOFMEMORY;
  resource->rt_resource = args->hResource;
  const HRESULT adopted = Adopt(args->NumAllocations, args->pOpenAllocationInfo, args->hKMResource, *resource);
  if (FAILED(adopted)) return adopted;
  args->hResource = resource.release();
  return S_OK;
}

HRESULT APIENTRY DestroyResource(HANDLE device, HANDLE resource) {
  const std::unique_ptr<UmdResource> going(&Resource(resource));
  Device(device).Free(*going);
  return S_OK;
}

HRESULT APIENTRY Blt(HANDLE device, CONST D3DDDIARG_BLT* args) {
  if (args->hSrcResource == nullptr || args->hDstResource == nullptr) return E_INVALIDARG;
  if (args->SrcSubResourceIndex != 0 || args->DstSubResourceIndex != 0) return E_INVALIDARG;
  D3DDDI_BLTFLAGS plain{};  // what a copy of the same size does anyway
  plain.Point = plain.Linear = plain.BeginPresentToDwm = plain.ContinuePresentToDwm = plain.EndPresentToDwm = 1;
  if ((args->Flags.Value & ~plain.Value) != 0) return D3DDDIERR_NOTAVAILABLE;
  const HRESULT copied =
      Device(device).CopyRects(Resource(args->hSrcResource), args->SrcRect, Resource(args->hDstResource), args->DstRect);
  return copied == DXGI_DDI_ERR_UNSUPPORTED ? D3DDDIERR_NOTAVAILABLE : copied;
}

HRESULT APIENTRY Present(HANDLE device, CONST D3DDDIARG_PRESENT* args) {
  if (args->hSrcResource == nullptr || args->SrcSubResourceIndex != 0 || args->DstSubResourceIndex != 0) return E_INVALIDARG;
  D3DDDICB_PRESENT present{};
  present.hSrcAllocation = Resource(args->hSrcResource).allocation;
  if (args->Flags.Blt != 0 && args->hDstResource != nullptr) present.hDstAllocation = Resource(args->hDstResource).allocation;
  present.hContext = Device(device).context();
  return Device(device).PresentCb(present);
}

HRESULT APIENTRY SetDisplayMode(HANDLE device, CONST D3DDDIARG_SETDISPLAYMODE* args) {
  if (args->hResource == nullptr || args->SubResourceIndex != 0) return E_INVALIDARG;
  if ((Resource(args->hResource).data.flags & kAllocationPrimary) == 0) return E_INVALIDARG;
  D3DDDICB_SETDISPLAYMODE mode{Resource(args->hResource).allocation, 0};
  return Device(device).SetDisplayModeCb(mode);
}

// Nothing is buffered: copies and presents are submitted at once.
HRESULT APIENTRY Flush(HANDLE /*device*/) { return S_OK; }

HRESULT APIENTRY DestroyDevice(HANDLE device) {
  const std::unique_ptr<Umd9Device> going(&Device(device));
  going->Close();
  return S_OK;
}

}  // namespace

void FillDeviceFunctions(D3DDDI_DEVICEFUNCS& table) {
  table = {};
  table.pfnCreateResource = CreateResource;
  table.pfnCreateResource2 = CreateResource2;
  table.pfnOpenResource = OpenResource;
  table.pfnDestroyResource = DestroyResource;
  table.pfnBlt = Blt;
  table.pfnPresent = Present;
  table.pfnSetDisplayMode = SetDisplayMode;
  table.pfnFlush = Flush;
  table.pfnDestroyDevice = DestroyDevice;
}

}  // namespace tandem::processor
