// Resources: create, open, destroy.
#include <new>

#include "color/format.h"
#include "drivers/soft/umd/umd_device.h"
#include "link/surface/link_surface.h"

namespace tandem::soft {
namespace {

// The allocation that a create call requests, or the call's error.
struct Wanted {
  HRESULT error = S_OK;
  AllocationData data;
};

bool IsPlainTexture(const D3D11DDIARG_CREATERESOURCE& create) {
  return create.ResourceDimension == D3D10DDIRESOURCE_TEXTURE2D && create.MipLevels == 1 && create.ArraySize == 1 &&
         create.SampleDesc.Count <= 1 && create.pMipInfoList != nullptr;
}

// Accepts every known format without rotation, and NV12 if the display controller reads it.
bool CanScanOut(const UmdAdapter& adapter, const D3D11DDIARG_CREATERESOURCE& create) {
  const auto& mode = create.pPrimaryDesc->ModeDesc;
  const bool upright = mode.Rotation == DXGI_DDI_MODE_ROTATION_UNSPECIFIED || mode.Rotation == DXGI_DDI_MODE_ROTATION_IDENTITY;
  const bool cross_adapter = (create.MiscFlags & D3DWDDM1_3DDI_RESOURCE_MISC_CROSS_ADAPTER) != 0;
  const bool known_source = create.pPrimaryDesc->VidPnSourceId < adapter.data.vidpn_sources;
  const bool stereo = (create.pPrimaryDesc->Flags & DXGI_DDI_PRIMARY_STEREO) != 0;
  const bool known_format = !drivers::IsNv12(static_cast<color::Format>(create.Format)) || adapter.data.scans_out_nv12 != 0;
  return upright && known_format && known_source && !stereo && (!cross_adapter || adapter.data.cross_adapter_tier >= 3);
}

Wanted Examine(const UmdAdapter& adapter, const D3D11DDIARG_CREATERESOURCE& create) {
  Wanted wanted;
  if (!IsPlainTexture(create)) return {DXGI_DDI_ERR_UNSUPPORTED, {}};
  std::uint32_t flags = 0;
  std::uint32_t source = 0;
  if ((create.MiscFlags & D3DWDDM1_3DDI_RESOURCE_MISC_CROSS_ADAPTER) != 0) {
    if (adapter.data.cross_adapter_tier == 0) return {DXGI_DDI_ERR_UNSUPPORTED, {}};
    flags |= kAllocationCrossAdapter;
  }
  if (create.pPrimaryDesc != nullptr) {
    create.pPrimaryDesc->DriverFlags = 0;
    if (CanScanOut(adapter, create)) {
      flags |= kAllocationPrimary;
      source = create.pPrimaryDesc->VidPnSourceId;
    } else {
      create.pPrimaryDesc->DriverFlags = DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT;
      if ((create.pPrimaryDesc->Flags & DXGI_DDI_PRIMARY_OPTIONAL) == 0) return {DXGI_DDI_ERR_UNSUPPORTED, {}};
    }
  }
  const auto format = static_cast<color::Format>(create.Format);
  const bool link = format == link::kLinkFormat && flags == kAllocationCrossAdapter;
  const bool nv12 = drivers::IsNv12(format) && create.pInitialDataUP == nullptr;
  if (color::BytesPerPixel(format) == 0 && !link && !nv12) return {DXGI_DDI_ERR_UNSUPPORTED, {}};
  const auto data = DescribeSurface(create.pMipInfoList->TexelWidth, create.pMipInfoList->TexelHeight, format, flags, source);
  if (!data.ok()) return {E_INVALIDARG, {}};
  wanted.data = *data;
  return wanted;
}

HRESULT Create(UmdDevice& device, const D3D11DDIARG_CREATERESOURCE& create, UmdResource& resource) {
  const Wanted wanted = Examine(device.adapter(), create);
  if (FAILED(wanted.error)) return wanted.error;
  resource.data = wanted.data;
  D3DDDI_ALLOCATIONINFO2 info{};
  info.pPrivateDriverData = &resource.data;
  info.PrivateDriverDataSize = sizeof(resource.data);
  const bool primary = (resource.data.flags & kAllocationPrimary) != 0;
  info.Flags.Primary = primary ? 1 : 0;
  info.VidPnSourceId = primary ? resource.data.vidpn_source : D3DDDI_ID_UNINITIALIZED;
  D3DDDICB_ALLOCATE allocate{};
  allocate.hResource = resource.rt_resource;
  allocate.NumAllocations = 1;
  allocate.pAllocationInfo2 = &info;
  if (const HRESULT allocated = device.Allocate(allocate); FAILED(allocated)) return allocated;
  resource.allocation = info.hAllocation;
  resource.km_resource = allocate.hKMResource;
  return create.pInitialDataUP == nullptr ? S_OK : device.Upload(resource, *create.pInitialDataUP);
}

SIZE_T APIENTRY CalcPrivateResourceSize(D3D10DDI_HDEVICE /*device*/, CONST D3D11DDIARG_CREATERESOURCE* /*create*/) {
  return sizeof(UmdResource);
}

SIZE_T APIENTRY CalcPrivateOpenedResourceSize(D3D10DDI_HDEVICE /*device*/, CONST D3D10DDIARG_OPENRESOURCE* /*open*/) {
  return sizeof(UmdResource);
}

VOID APIENTRY DestroyResource(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource);

VOID APIENTRY CreateResource(D3D10DDI_HDEVICE device, CONST D3D11DDIARG_CREATERESOURCE* create, D3D10DDI_HRESOURCE resource,
                             D3D10DDI_HRTRESOURCE rt_resource) {
  auto* created = new (resource.pDrvPrivate) UmdResource();
  created->rt_resource = rt_resource.handle;
  const HRESULT result = Create(FromHandle(device), *create, *created);
  if (SUCCEEDED(result)) return;
  DestroyResource(device, resource);
  FromHandle(device).SetError(result);
}

// Opened resources carry the private data that our kernel-mode half made for this adapter.
VOID APIENTRY OpenResource(D3D10DDI_HDEVICE device, CONST D3D10DDIARG_OPENRESOURCE* open, D3D10DDI_HRESOURCE resource,
                           D3D10DDI_HRTRESOURCE rt_resource) {
  auto* opened = new (resource.pDrvPrivate) UmdResource();
  opened->rt_resource = rt_resource.handle;
  if (open->NumAllocations != 1 || open->pOpenAllocationInfo == nullptr) return FromHandle(device).SetError(E_INVALIDARG);
  const auto& info = *open->pOpenAllocationInfo;
  const auto data = ValidateAllocationData(info.pPrivateDriverData, info.PrivateDriverDataSize);
  if (!data.ok()) return FromHandle(device).SetError(E_INVALIDARG);
  opened->data = *data;
  opened->allocation = info.hAllocation;
  opened->km_resource = open->hKMResource.handle;
}

VOID APIENTRY DestroyResource(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource) {
  UmdResource& going = FromHandle(resource);
  if (going.allocation != 0) {
    D3DDDICB_DEALLOCATE deallocate{};
    deallocate.hResource = going.rt_resource;
    if (going.rt_resource == nullptr) {
      deallocate.NumAllocations = 1;
      deallocate.HandleList = &going.allocation;
    }
    FromHandle(device).Deallocate(deallocate);
  }
  going.~UmdResource();
}

// Nothing is buffered: copies and presents are submitted at once.
VOID APIENTRY Flush(D3D10DDI_HDEVICE /*device*/) {}

VOID APIENTRY DestroyDevice(D3D10DDI_HDEVICE device) {
  FromHandle(device).Close();
  FromHandle(device).~UmdDevice();
}

}  // namespace

void FillDeviceFunctions(D3D11DDI_DEVICEFUNCS& table) {
  table.pfnFlush = Flush;
  table.pfnCalcPrivateResourceSize = CalcPrivateResourceSize;
  table.pfnCalcPrivateOpenedResourceSize = CalcPrivateOpenedResourceSize;
  table.pfnCreateResource = CreateResource;
  table.pfnOpenResource = OpenResource;
  table.pfnDestroyResource = DestroyResource;
  table.pfnDestroyDevice = DestroyDevice;
}

}  // namespace tandem::soft
