// Resources of a device: create, open, destroy.
#include "Device.h"

static ULONG FormatOf(_In_ DXGI_FORMAT Format) {
  switch (Format) {
    case DXGI_FORMAT_B8G8R8A8_UNORM:
    case DXGI_FORMAT_B8G8R8A8_UNORM_SRGB: return D3DDDIFMT_A8R8G8B8;
    case DXGI_FORMAT_B8G8R8X8_UNORM: return D3DDDIFMT_X8R8G8B8;
    case DXGI_FORMAT_R8G8B8A8_UNORM:
    case DXGI_FORMAT_R8G8B8A8_UNORM_SRGB: return D3DDDIFMT_A8B8G8R8;
    default: return D3DDDIFMT_UNKNOWN;
  }
}

static BOOLEAN IsPlainTexture(_In_ CONST D3D11DDIARG_CREATERESOURCE* Create) {
  return Create->ResourceDimension == D3D10DDIRESOURCE_TEXTURE2D && Create->MipLevels == 1 && Create->ArraySize == 1 &&
         Create->SampleDesc.Count <= 1 && Create->pMipInfoList != NULL;
}

// Shared memory is copied from, and not scanned out: the adapter has tier 1.
static BOOLEAN CanScanOut(_In_ CONST DXGI_DDI_PRIMARY_DESC* Primary, _In_ CONST SURFACE_DATA* Surface) {
  CONST DXGI_DDI_MODE_ROTATION Rotation = Primary->ModeDesc.Rotation;
  CONST BOOLEAN IsUpright = Rotation == DXGI_DDI_MODE_ROTATION_UNSPECIFIED || Rotation == DXGI_DDI_MODE_ROTATION_IDENTITY;
  return IsUpright && !(Primary->Flags & DXGI_DDI_PRIMARY_STEREO) && Primary->VidPnSourceId == 0 &&
         !(Surface->Flags & SURFACE_CROSS_ADAPTER);
}

static HRESULT Describe(_In_ CONST D3D11DDIARG_CREATERESOURCE* Create, _Out_ SURFACE_DATA* Surface) {
  if (!IsPlainTexture(Create)) return DXGI_DDI_ERR_UNSUPPORTED;
  Surface->Magic = SURFACE_MAGIC;
  Surface->Flags = Create->MiscFlags & D3DWDDM1_3DDI_RESOURCE_MISC_CROSS_ADAPTER ? SURFACE_CROSS_ADAPTER : 0;
  Surface->Width = Create->pMipInfoList->TexelWidth;
  Surface->Height = Create->pMipInfoList->TexelHeight;
  Surface->Format = FormatOf(Create->Format);
  if (Surface->Format == D3DDDIFMT_UNKNOWN) return DXGI_DDI_ERR_UNSUPPORTED;
  if (Surface->Width == 0 || Surface->Height == 0 || Surface->Width > SURFACE_MAX_EXTENT ||
      Surface->Height > SURFACE_MAX_EXTENT) {
    return E_INVALIDARG;
  }
  Surface->Pitch = (Surface->Width * 4 + SURFACE_PITCH_ALIGNMENT - 1) & ~(SURFACE_PITCH_ALIGNMENT - 1);
  DXGI_DDI_PRIMARY_DESC* Primary = Create->pPrimaryDesc;
  if (Primary == NULL) return S_OK;
  Primary->DriverFlags = 0;
  if (CanScanOut(Primary, Surface)) {
    Surface->Flags |= SURFACE_PRIMARY;
    return S_OK;
  }
  Primary->DriverFlags = DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT;
  return Primary->Flags & DXGI_DDI_PRIMARY_OPTIONAL ? S_OK : DXGI_DDI_ERR_UNSUPPORTED;
}

static HRESULT Allocate(_In_ CONST Device* On, _Inout_ Resource* Made) {
  D3DDDI_ALLOCATIONINFO2 Info = {};
  Info.pPrivateDriverData = &Made->Surface;
  Info.PrivateDriverDataSize = sizeof(Made->Surface);
  CONST BOOLEAN IsPrimary = (Made->Surface.Flags & SURFACE_PRIMARY) != 0;
  Info.Flags.Primary = IsPrimary ? 1 : 0;
  Info.VidPnSourceId = IsPrimary ? 0 : D3DDDI_ID_UNINITIALIZED;
  D3DDDICB_ALLOCATE Args = {};
  Args.hResource = Made->Runtime;
  Args.NumAllocations = 1;
  Args.pAllocationInfo2 = &Info;
  CONST HRESULT Status = On->Kernel->pfnAllocateCb(On->Runtime, &Args);
  if (FAILED(Status)) return Status;
  Made->Allocation = Info.hAllocation;
  Made->KernelResource = Args.hKMResource;
  return S_OK;
}

static VOID Free(_In_ CONST Device* On, _Inout_ Resource* Gone) {
  if (Gone->Allocation == 0) return;
  D3DDDICB_DEALLOCATE Args = {};
  Args.hResource = Gone->Runtime;
  if (Gone->Runtime == NULL) {
    Args.NumAllocations = 1;
    Args.HandleList = &Gone->Allocation;
  }
  On->Kernel->pfnDeallocateCb(On->Runtime, &Args);
  Gone->Allocation = 0;
}

// A program's first picture.
static HRESULT Upload(_In_ CONST Device* On, _In_ CONST Resource* To, _In_ CONST D3D10_DDIARG_SUBRESOURCE_UP* Initial) {
  CONST SIZE_T RowBytes = (SIZE_T)To->Surface.Width * 4;
  if (Initial->pSysMem == NULL || Initial->SysMemPitch < RowBytes) return E_INVALIDARG;
  D3DDDICB_LOCK Lock = {};
  Lock.hAllocation = To->Allocation;
  Lock.Flags.WriteOnly = 1;
  Lock.Flags.LockEntire = 1;
  CONST HRESULT Status = On->Kernel->pfnLockCb(On->Runtime, &Lock);
  if (FAILED(Status)) return Status;
  for (ULONG Row = 0; Row < To->Surface.Height; Row++) {
    memcpy(static_cast<PUCHAR>(Lock.pData) + (SIZE_T)Row * To->Surface.Pitch,
           static_cast<CONST UCHAR*>(Initial->pSysMem) + (SIZE_T)Row * Initial->SysMemPitch, RowBytes);
  }
  CONST D3DDDICB_UNLOCK Unlock = {1, &To->Allocation};
  return On->Kernel->pfnUnlockCb(On->Runtime, &Unlock);
}

static SIZE_T APIENTRY CalcPrivateResourceSize(D3D10DDI_HDEVICE Handle, CONST D3D11DDIARG_CREATERESOURCE* Create) {
  UNREFERENCED_PARAMETER(Handle);
  UNREFERENCED_PARAMETER(Create);
  return sizeof(Resource);
}

static SIZE_T APIENTRY CalcPrivateOpenedResourceSize(D3D10DDI_HDEVICE Handle, CONST D3D10DDIARG_OPENRESOURCE* Open) {
  UNREFERENCED_PARAMETER(Handle);
  UNREFERENCED_PARAMETER(Open);
  return sizeof(Resource);
}

static VOID APIENTRY CreateResource(D3D10DDI_HDEVICE Handle, CONST D3D11DDIARG_CREATERESOURCE* Create, D3D10DDI_HRESOURCE Place,
                                    D3D10DDI_HRTRESOURCE Runtime) {
  Device* On = DeviceOf(Handle);
  Resource* Made = ResourceOf(Place);
  memset(Made, 0, sizeof(*Made));
  Made->Runtime = Runtime.handle;
  HRESULT Status = Describe(Create, &Made->Surface);
  if (SUCCEEDED(Status)) Status = Allocate(On, Made);
  if (SUCCEEDED(Status) && Create->pInitialDataUP != NULL) Status = Upload(On, Made, Create->pInitialDataUP);
  if (SUCCEEDED(Status)) return;
  Free(On, Made);
  On->Core->pfnSetErrorCb(On->CoreLayer, Status);
}

static VOID APIENTRY OpenResource(D3D10DDI_HDEVICE Handle, CONST D3D10DDIARG_OPENRESOURCE* Open, D3D10DDI_HRESOURCE Place,
                                  D3D10DDI_HRTRESOURCE Runtime) {
  Device* On = DeviceOf(Handle);
  Resource* Opened = ResourceOf(Place);
  memset(Opened, 0, sizeof(*Opened));
  Opened->Runtime = Runtime.handle;
  CONST D3DDDI_OPENALLOCATIONINFO* Info = Open->pOpenAllocationInfo;
  if (Open->NumAllocations != 1 || Info == NULL || Info->PrivateDriverDataSize != sizeof(Opened->Surface)) {
    On->Core->pfnSetErrorCb(On->CoreLayer, E_INVALIDARG);
    return;
  }
  memcpy(&Opened->Surface, Info->pPrivateDriverData, sizeof(Opened->Surface));
  if (Opened->Surface.Magic != SURFACE_MAGIC) {
    On->Core->pfnSetErrorCb(On->CoreLayer, E_INVALIDARG);
    return;
  }
  Opened->Allocation = Info->hAllocation;
  Opened->KernelResource = Open->hKMResource.handle;
}

static VOID APIENTRY DestroyResource(D3D10DDI_HDEVICE Handle, D3D10DDI_HRESOURCE Place) {
  Free(DeviceOf(Handle), ResourceOf(Place));
}

// Nothing is buffered: copies and presents are submitted at once.
static VOID APIENTRY Flush(D3D10DDI_HDEVICE Handle) { UNREFERENCED_PARAMETER(Handle); }

static VOID APIENTRY DestroyDevice(D3D10DDI_HDEVICE Handle) {
  Device* Gone = DeviceOf(Handle);
  CONST D3DDDICB_DESTROYCONTEXT Args = {Gone->Context};
  Gone->Kernel->pfnDestroyContextCb(Gone->Runtime, &Args);
}

VOID FillDeviceFunctions(_Out_ D3D11DDI_DEVICEFUNCS* Table) {
  Table->pfnFlush = Flush;
  Table->pfnCalcPrivateResourceSize = CalcPrivateResourceSize;
  Table->pfnCalcPrivateOpenedResourceSize = CalcPrivateOpenedResourceSize;
  Table->pfnCreateResource = CreateResource;
  Table->pfnOpenResource = OpenResource;
  Table->pfnDestroyResource = DestroyResource;
  Table->pfnDestroyDevice = DestroyDevice;
}
