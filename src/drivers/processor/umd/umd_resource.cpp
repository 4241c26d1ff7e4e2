// Resources: create, open, destroy.
#include <new>

#include "color/format.h"
#include "drivers/common/pixel_format.h"
#include "drivers/processor/umd/umd_device.h"

namespace tandem::processor {
namespace {

bool IsPlainTexture(const D3D11DDIARG_CREATERESOURCE& create) {
  return create.ResourceDimension == D3D10DDIRESOURCE_TEXTURE2D && create.MipLevels == 1 && create.ArraySize == 1 &&
         create.SampleDesc.Count <= 1 && create.pMipInfoList != nullptr;
}

// Accepts every format that the display controller shows, without rotation and stereo.
bool CanScanOut(const UmdAdapter& adapter, const DXGI_DDI_PRIMARY_DESC& primary, const UmdSurface& surface) {
  const DXGI_DDI_MODE_ROTATION rotation = primary.ModeDesc.Rotation;
  const bool upright = rotation == DXGI_DDI_MODE_ROTATION_UNSPECIFIED || rotation == DXGI_DDI_MODE_ROTATION_IDENTITY;
  return upright && (primary.Flags & DXGI_DDI_PRIMARY_STEREO) == 0 && ScansOut(adapter, surface);
}

// Describes the allocation that a create call requests.
HRESULT Examine(const UmdAdapter& adapter, const D3D11DDIARG_CREATERESOURCE& create, AllocationData& data) {
  if (!IsPlainTexture(create)) return DXGI_DDI_ERR_UNSUPPORTED;
  UmdSurface surface{create.pMipInfoList->TexelWidth, create.pMipInfoList->TexelHeight, static_cast<color::Format>(create.Format),
                     0, 0};
  if ((create.MiscFlags & D3DWDDM1_3DDI_RESOURCE_MISC_CROSS_ADAPTER) != 0) surface.flags |= kAllocationCrossAdapter;
  if (DXGI_DDI_PRIMARY_DESC* const primary = create.pPrimaryDesc; primary != nullptr) {
    primary->DriverFlags = 0;
    surface.vidpn_source = primary->VidPnSourceId;
    if (CanScanOut(adapter, *primary, surface)) {
      surface.flags |= kAllocationPrimary;
    } else {
      surface.vidpn_source = 0;
      primary->DriverFlags = DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT;
      if ((primary->Flags & DXGI_DDI_PRIMARY_OPTIONAL) == 0) return DXGI_DDI_ERR_UNSUPPORTED;
    }
  }
  if (drivers::IsNv12(surface.format) && create.pInitialDataUP != nullptr) return DXGI_DDI_ERR_UNSUPPORTED;
  return Describe(adapter, surface, data);
}

HRESULT Create(const UmdDevice& device, const D3D11DDIARG_CREATERESOURCE& create, UmdResource& resource) {
  if (const HRESULT examined = Examine(device.adapter(), create, resource.data); FAILED(examined)) return examined;
  if (const HRESULT allocated = device.Allocate(resource); FAILED(allocated)) return allocated;
  const D3D10_DDIARG_SUBRESOURCE_UP* const initial = create.pInitialDataUP;
  return initial == nullptr ? S_OK : device.Upload(resource, initial->pSysMem, initial->SysMemPitch);
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

VOID APIENTRY OpenResource(D3D10DDI_HDEVICE device, CONST D3D10DDIARG_OPENRESOURCE* open, D3D10DDI_HRESOURCE resource,
                           D3D10DDI_HRTRESOURCE rt_resource) {
  auto* opened = new (resource.pDrvPrivate) UmdResource();
  opened->rt_resource = rt_resource.handle;
  const HRESULT adopted = Adopt(open->NumAllocations, open->pOpenAllocationInfo, open->hKMResource.handle, *opened);
  if (FAILED(adopted)) FromHandle(device).SetError(adopted);
}

VOID APIENTRY DestroyResource(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource) {
  UmdResource& going = FromHandle(resource);
  FromHandle(device).Free(going);
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

}  // namespace tandem::processor
