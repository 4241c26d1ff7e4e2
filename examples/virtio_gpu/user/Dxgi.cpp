// DXGI's functions: presents, modes, copies.
#include "Device.h"

static HRESULT APIENTRY Present(DXGI_DDI_ARG_PRESENT* Args) {
  if (Args->hSurfaceToPresent == 0 || Args->SrcSubResourceIndex != 0 || Args->DstSubResourceIndex != 0) return E_INVALIDARG;
  Device* On = DeviceOf(Args->hDevice);
  DXGIDDICB_PRESENT Present = {};
  Present.hSrcAllocation = ResourceOf(Args->hSurfaceToPresent)->Allocation;
  Present.hDstAllocation = Args->Flags.Blt && Args->hDstResource != 0 ? ResourceOf(Args->hDstResource)->Allocation : 0;
  Present.pDXGIContext = Args->pDXGIContext;
  Present.hContext = On->Context;
  return On->Dxgi->pfnPresentCb(On->Runtime, &Present);
}

static HRESULT APIENTRY GetGammaCaps(DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS* Args) {
  memset(Args->pGammaCapabilities, 0, sizeof(*Args->pGammaCapabilities));
  return S_OK;
}

// The scan-out takes its size from the surface, so a mode needs nothing but a primary.
static HRESULT APIENTRY SetDisplayMode(DXGI_DDI_ARG_SETDISPLAYMODE* Args) {
  if (Args->hResource == 0 || Args->SubResourceIndex != 0) return E_INVALIDARG;
  return ResourceOf(Args->hResource)->Surface.Flags & SURFACE_PRIMARY ? S_OK : DXGI_DDI_ERR_UNSUPPORTED;
}

static HRESULT APIENTRY SetResourcePriority(DXGI_DDI_ARG_SETRESOURCEPRIORITY* Args) {
  UNREFERENCED_PARAMETER(Args);
  return DXGI_DDI_ERR_UNSUPPORTED;
}

static HRESULT APIENTRY QueryResourceResidency(DXGI_DDI_ARG_QUERYRESOURCERESIDENCY* Args) {
  CONST Device* On = DeviceOf(Args->hDevice);
  for (SIZE_T i = 0; i < Args->Resources; i++) {
    D3DDDI_RESIDENCYSTATUS Residency = D3DDDI_RESIDENCYSTATUS_NOTRESIDENT;
    CONST D3DDDICB_QUERYRESIDENCY Query = {NULL, 1, &ResourceOf(Args->pResources[i])->Allocation, &Residency};
    CONST HRESULT Status = On->Kernel->pfnQueryResidencyCb(On->Runtime, &Query);
    if (FAILED(Status)) return Status;
    Args->pStatus[i] = static_cast<DXGI_DDI_RESIDENCY>(Residency);
  }
  return S_OK;
}

// X, Y, Z become Y, Z, X: the kernel's handles rotate, the runtime's stay.
static HRESULT APIENTRY RotateResourceIdentities(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES* Args) {
  if (Args->Resources == 0) return S_OK;
  CONST Resource First = *ResourceOf(Args->pResources[0]);
  for (UINT i = 1; i < Args->Resources; i++) {
    CONST SURFACE_DATA* Surface = &ResourceOf(Args->pResources[i])->Surface;
    if (memcmp(Surface, &First.Surface, sizeof(*Surface)) != 0) return E_INVALIDARG;
  }
  for (UINT i = 0; i < Args->Resources; i++) {
    CONST BOOLEAN IsLast = i + 1 == Args->Resources;
    CONST Resource* Next = IsLast ? &First : ResourceOf(Args->pResources[i + 1]);
    Resource* Rotated = ResourceOf(Args->pResources[i]);
    Rotated->Allocation = Next->Allocation;
    Rotated->KernelResource = Next->KernelResource;
  }
  return S_OK;
}

static BOOLEAN IsInside(_In_ CONST RECT* Rect, _In_ CONST SURFACE_DATA* Surface) {
  return Rect->left >= 0 && Rect->top >= 0 && Rect->left < Rect->right && Rect->top < Rect->bottom &&
         (ULONG)Rect->right <= Surface->Width && (ULONG)Rect->bottom <= Surface->Height;
}

// The command is the kernel-mode half's USER_COPY.
HRESULT CopyRect(_Inout_ Device* On, _In_ CONST Resource* From, _In_ LONG Left, _In_ LONG Top, _In_ CONST Resource* To,
                 _In_ CONST RECT* Rect) {
  if (On->CommandBytes < sizeof(USER_COPY) || On->AllocationCount < 2) return E_OUTOFMEMORY;
  memset(On->Allocations, 0, 2 * sizeof(*On->Allocations));
  On->Allocations[0].hAllocation = From->Allocation;
  On->Allocations[1].hAllocation = To->Allocation;
  On->Allocations[1].WriteOperation = 1;
  CONST USER_COPY Copy = {USER_COPY_MAGIC, 0, 1, Left, Top, *Rect};
  memcpy(On->Commands, &Copy, sizeof(Copy));
  D3DDDICB_RENDER Render = {};
  Render.CommandLength = sizeof(Copy);
  Render.NumAllocations = 2;
  Render.hContext = On->Context;
  CONST HRESULT Status = On->Kernel->pfnRenderCb(On->Runtime, &Render);
  if (FAILED(Status)) return Status;
  if (Render.pNewCommandBuffer != NULL) {
    On->Commands = Render.pNewCommandBuffer;
    On->CommandBytes = Render.NewCommandBufferSize;
  }
  if (Render.pNewAllocationList != NULL) {
    On->Allocations = Render.pNewAllocationList;
    On->AllocationCount = Render.NewAllocationListSize;
  }
  return S_OK;
}

static HRESULT APIENTRY Blt1(DXGI_DDI_ARG_BLT1* Args) {
  if (Args->hSrcResource == 0 || Args->hDstResource == 0 || Args->SrcSubresource != 0 || Args->DstSubresource != 0) {
    return E_INVALIDARG;
  }
  if (Args->Rotate != DXGI_DDI_MODE_ROTATION_UNSPECIFIED && Args->Rotate != DXGI_DDI_MODE_ROTATION_IDENTITY) {
    return DXGI_DDI_ERR_UNSUPPORTED;
  }
  CONST Resource *From = ResourceOf(Args->hSrcResource), *To = ResourceOf(Args->hDstResource);
  CONST RECT Source = {(LONG)Args->SrcLeft, (LONG)Args->SrcTop, (LONG)Args->SrcRight, (LONG)Args->SrcBottom};
  CONST RECT Destination = {(LONG)Args->DstLeft, (LONG)Args->DstTop, (LONG)Args->DstRight, (LONG)Args->DstBottom};
  if (Source.right - Source.left != Destination.right - Destination.left ||
      Source.bottom - Source.top != Destination.bottom - Destination.top) {
    return DXGI_DDI_ERR_UNSUPPORTED;
  }
  if (!IsInside(&Source, &From->Surface) || !IsInside(&Destination, &To->Surface)) return E_INVALIDARG;
  return CopyRect(DeviceOf(Args->hDevice), From, Source.left, Source.top, To, &Destination);
}

// Copies the whole source.
static HRESULT APIENTRY Blt(DXGI_DDI_ARG_BLT* Args) {
  if (Args->hSrcResource == 0 || Args->hDstResource == 0) return E_INVALIDARG;
  CONST SURFACE_DATA* From = &ResourceOf(Args->hSrcResource)->Surface;
  DXGI_DDI_ARG_BLT1 Whole = {};
  Whole.hDevice = Args->hDevice;
  Whole.hDstResource = Args->hDstResource;
  Whole.DstSubresource = Args->DstSubresource;
  Whole.DstLeft = Args->DstLeft;
  Whole.DstTop = Args->DstTop;
  Whole.DstRight = Args->DstRight;
  Whole.DstBottom = Args->DstBottom;
  Whole.hSrcResource = Args->hSrcResource;
  Whole.SrcSubresource = Args->SrcSubresource;
  Whole.SrcRight = From->Width;
  Whole.SrcBottom = From->Height;
  Whole.Flags = Args->Flags;
  Whole.Rotate = Args->Rotate;
  return Blt1(&Whole);
}

static HRESULT APIENTRY ResolveSharedResource(DXGI_DDI_ARG_RESOLVESHAREDRESOURCE* Args) {
  UNREFERENCED_PARAMETER(Args);
  return S_OK;
}

VOID FillDxgiFunctions(_Out_ DXGI1_3_DDI_BASE_FUNCTIONS* Table) {
  memset(Table, 0, sizeof(*Table));
  Table->pfnPresent = Present;
  Table->pfnGetGammaCaps = GetGammaCaps;
  Table->pfnSetDisplayMode = SetDisplayMode;
  Table->pfnSetResourcePriority = SetResourcePriority;
  Table->pfnQueryResourceResidency = QueryResourceResidency;
  Table->pfnRotateResourceIdentities = RotateResourceIdentities;
  Table->pfnBlt = Blt;
  Table->pfnResolveSharedResource = ResolveSharedResource;
  Table->pfnBlt1 = Blt1;
}
