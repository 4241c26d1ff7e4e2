// The DXGI part of a user-mode driver: presentation functions that the driver implements and callbacks
// that the runtime offers. Public header page: dxgiddi.h.
#pragma once

#include "d3dukmdt.h"
#include "dxgiddi_types.h"
#include "dxgiformat.h"

// DXGI_DDI_PRESENT_FLAGS, dxgiddi.h. Bits 4 to 6 follow the order of the page, which states no values.
typedef union DXGI_DDI_PRESENT_FLAGS {
  struct {
    UINT Blt : 1;                   // 0x00000001
    UINT Flip : 1;                  // 0x00000002
    UINT PreferRight : 1;           // 0x00000004
    UINT TemporaryMono : 1;         // 0x00000008
    UINT AllowTearing : 1;          // 0x00000010
    UINT AllowFlexibleRefresh : 1;  // 0x00000020
    UINT NoScanoutTransform : 1;    // 0x00000040
    UINT Reserved : 25;
  };
  UINT Value;
} DXGI_DDI_PRESENT_FLAGS;

// DXGI_DDI_ARG_PRESENT, dxgiddi.h. hDstResource 0: unknown until submission. The driver flushes first
// and passes pDXGIContext unchanged to pfnPresentCb.
typedef struct DXGI_DDI_ARG_PRESENT {
  DXGI_DDI_HDEVICE hDevice;
  DXGI_DDI_HRESOURCE hSurfaceToPresent;
  UINT SrcSubResourceIndex;
  DXGI_DDI_HRESOURCE hDstResource;
  UINT DstSubResourceIndex;
  VOID* pDXGIContext;
  DXGI_DDI_PRESENT_FLAGS Flags;
  DXGI_DDI_FLIP_INTERVAL_TYPE FlipInterval;
} DXGI_DDI_ARG_PRESENT;

// DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS, dxgiddi.h.
typedef struct DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS {
  DXGI_DDI_HDEVICE hDevice;
  DXGI_GAMMA_CONTROL_CAPABILITIES* pGammaCapabilities;
} DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS;

// DXGI_DDI_ARG_SETDISPLAYMODE, dxgiddi.h.
typedef struct DXGI_DDI_ARG_SETDISPLAYMODE {
  DXGI_DDI_HDEVICE hDevice;
  DXGI_DDI_HRESOURCE hResource;
  UINT SubResourceIndex;
} DXGI_DDI_ARG_SETDISPLAYMODE;

// DXGI_DDI_ARG_SETRESOURCEPRIORITY, dxgiddi.h.
typedef struct DXGI_DDI_ARG_SETRESOURCEPRIORITY {
  DXGI_DDI_HDEVICE hDevice;
  DXGI_DDI_HRESOURCE hResource;
  UINT Priority;
} DXGI_DDI_ARG_SETRESOURCEPRIORITY;

// DXGI_DDI_ARG_QUERYRESOURCERESIDENCY, dxgiddi.h.
typedef struct DXGI_DDI_ARG_QUERYRESOURCERESIDENCY {
  DXGI_DDI_HDEVICE hDevice;
  CONST DXGI_DDI_HRESOURCE* pResources;
  DXGI_DDI_RESIDENCY* pStatus;
  SIZE_T Resources;
} DXGI_DDI_ARG_QUERYRESOURCERESIDENCY;

// DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES, dxgiddi.h: X, Y, Z become Y, Z, X. The driver swaps kernel
// handles, not runtime handles.
typedef struct DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES {
  DXGI_DDI_HDEVICE hDevice;
  CONST DXGI_DDI_HRESOURCE* pResources;
  UINT Resources;
} DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES;

// DXGI_DDI_ARG_BLT_FLAGS, dxgiddi.h. Never 0 together with an identity rotation.
typedef union DXGI_DDI_ARG_BLT_FLAGS {
  struct {
    UINT Resolve : 1;  // 0x00000001
    UINT Convert : 1;  // 0x00000002
    UINT Stretch : 1;  // 0x00000004
    UINT Present : 1;  // 0x00000008: do it atomically, a compositor reads
    UINT Reserved : 28;
  };
  UINT Value;
} DXGI_DDI_ARG_BLT_FLAGS;

// DXGI_DDI_ARG_BLT and DXGI_DDI_ARG_BLT1, dxgiddi.h. BLT takes a whole source subresource.
typedef struct DXGI_DDI_ARG_BLT {
  DXGI_DDI_HDEVICE hDevice;
  DXGI_DDI_HRESOURCE hDstResource;
  UINT DstSubresource;
  UINT DstLeft;
  UINT DstTop;
  UINT DstRight;
  UINT DstBottom;
  DXGI_DDI_HRESOURCE hSrcResource;
  UINT SrcSubresource;
  DXGI_DDI_ARG_BLT_FLAGS Flags;
  DXGI_DDI_MODE_ROTATION Rotate;
} DXGI_DDI_ARG_BLT;

typedef struct DXGI_DDI_ARG_BLT1 {
  DXGI_DDI_HDEVICE hDevice;
  DXGI_DDI_HRESOURCE hDstResource;
  UINT DstSubresource;
  UINT DstLeft;
  UINT DstTop;
  UINT DstRight;
  UINT DstBottom;
  DXGI_DDI_HRESOURCE hSrcResource;
  UINT SrcSubresource;
  UINT SrcLeft;
  UINT SrcTop;
  UINT SrcRight;
  UINT SrcBottom;
  DXGI_DDI_ARG_BLT_FLAGS Flags;
  DXGI_DDI_MODE_ROTATION Rotate;
} DXGI_DDI_ARG_BLT1;

// DXGI_DDI_ARG_RESOLVESHAREDRESOURCE, dxgiddi.h.
typedef struct DXGI_DDI_ARG_RESOLVESHAREDRESOURCE {
  DXGI_DDI_HDEVICE hDevice;
  DXGI_DDI_HRESOURCE hResource;
} DXGI_DDI_ARG_RESOLVESHAREDRESOURCE;

// DXGIDDICB_PRESENT, dxgiddi.h: the driver's arguments to the runtime for a present.
typedef struct DXGIDDICB_PRESENT {
  D3DKMT_HANDLE hSrcAllocation;  // 0 with a colour fill.
  D3DKMT_HANDLE hDstAllocation;  // 0: the kernel decides.
  VOID* pDXGIContext;
  HANDLE hContext;
  UINT BroadcastContextCount;
  HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
  D3DKMT_HANDLE* BroadcastSrcAllocation;
  D3DKMT_HANDLE* BroadcastDstAllocation;
  UINT PrivateDriverDataSize;
  PVOID pPrivateDriverData;
  BOOLEAN bOptimizeForComposition;
  BOOL SyncIntervalOverrideValid;
  DXGI_DDI_FLIP_INTERVAL_TYPE SyncIntervalOverride;
} DXGIDDICB_PRESENT;

// Returns S_OK, E_OUTOFMEMORY, E_INVALIDARG or DXGI_DDI_ERR_*. Called inside pfnPresent only.
typedef HRESULT(APIENTRY CALLBACK* PFNDDXGIDDI_PRESENTCB)(HANDLE hDevice, DXGIDDICB_PRESENT* pPresentData);

// DXGI_DDI_BASE_CALLBACKS, dxgiddi.h: the runtime's side. Slots without a type here are PVOID.
typedef struct DXGI_DDI_BASE_CALLBACKS {
  PFNDDXGIDDI_PRESENTCB pfnPresentCb;
  PVOID pfnPresentMultiplaneOverlayCb;
  PVOID pfnPresentMultiplaneOverlay1Cb;
  PVOID pfnSubmitPresentBltToHwQueueCb;
  PVOID pfnSubmitPresentToHwQueueCb;
} DXGI_DDI_BASE_CALLBACKS;

// DXGI_DDI_BASE_FUNCTIONS, dxgiddi.h: the driver's side; then each version adds at its end.
typedef struct DXGI_DDI_BASE_FUNCTIONS {
  HRESULT(APIENTRY* pfnPresent)(DXGI_DDI_ARG_PRESENT*);
  HRESULT(APIENTRY* pfnGetGammaCaps)(DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS*);
  HRESULT(APIENTRY* pfnSetDisplayMode)(DXGI_DDI_ARG_SETDISPLAYMODE*);
  HRESULT(APIENTRY* pfnSetResourcePriority)(DXGI_DDI_ARG_SETRESOURCEPRIORITY*);
  HRESULT(APIENTRY* pfnQueryResourceResidency)(DXGI_DDI_ARG_QUERYRESOURCERESIDENCY*);
  HRESULT(APIENTRY* pfnRotateResourceIdentities)(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES*);
  HRESULT(APIENTRY* pfnBlt)(DXGI_DDI_ARG_BLT*);
} DXGI_DDI_BASE_FUNCTIONS;

// DXGI_DDI_BASE_FUNCTIONS of Windows 7 (1_1), dxgiddi.h.
typedef struct DXGI1_1_DDI_BASE_FUNCTIONS {
  HRESULT(APIENTRY* pfnPresent)(DXGI_DDI_ARG_PRESENT*);
  HRESULT(APIENTRY* pfnGetGammaCaps)(DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS*);
  HRESULT(APIENTRY* pfnSetDisplayMode)(DXGI_DDI_ARG_SETDISPLAYMODE*);
  HRESULT(APIENTRY* pfnSetResourcePriority)(DXGI_DDI_ARG_SETRESOURCEPRIORITY*);
  HRESULT(APIENTRY* pfnQueryResourceResidency)(DXGI_DDI_ARG_QUERYRESOURCERESIDENCY*);
  HRESULT(APIENTRY* pfnRotateResourceIdentities)(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES*);
  HRESULT(APIENTRY* pfnBlt)(DXGI_DDI_ARG_BLT*);
  HRESULT(APIENTRY* pfnResolveSharedResource)(DXGI_DDI_ARG_RESOLVESHAREDRESOURCE*);
} DXGI1_1_DDI_BASE_FUNCTIONS;

// DXGI_DDI_BASE_FUNCTIONS of Windows 8 (1_2), dxgiddi.h.
typedef struct DXGI1_2_DDI_BASE_FUNCTIONS {
  HRESULT(APIENTRY* pfnPresent)(DXGI_DDI_ARG_PRESENT*);
  HRESULT(APIENTRY* pfnGetGammaCaps)(DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS*);
  HRESULT(APIENTRY* pfnSetDisplayMode)(DXGI_DDI_ARG_SETDISPLAYMODE*);
  HRESULT(APIENTRY* pfnSetResourcePriority)(DXGI_DDI_ARG_SETRESOURCEPRIORITY*);
  HRESULT(APIENTRY* pfnQueryResourceResidency)(DXGI_DDI_ARG_QUERYRESOURCERESIDENCY*);
  HRESULT(APIENTRY* pfnRotateResourceIdentities)(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES*);
  HRESULT(APIENTRY* pfnBlt)(DXGI_DDI_ARG_BLT*);
  HRESULT(APIENTRY* pfnResolveSharedResource)(DXGI_DDI_ARG_RESOLVESHAREDRESOURCE*);
  HRESULT(APIENTRY* pfnBlt1)(DXGI_DDI_ARG_BLT1*);
  PVOID pfnOfferResources;
  PVOID pfnReclaimResources;
  PVOID pfnGetMultiplaneOverlayCaps;
  PVOID pfnGetMultiplaneOverlayFilterRange;
  PVOID pfnCheckMultiplaneOverlaySupport;
  PVOID pfnPresentMultiplaneOverlay;
} DXGI1_2_DDI_BASE_FUNCTIONS;

// DXGI_DDI_BASE_FUNCTIONS of Windows 8.1 (1_3), dxgiddi.h.
typedef struct DXGI1_3_DDI_BASE_FUNCTIONS {
  HRESULT(APIENTRY* pfnPresent)(DXGI_DDI_ARG_PRESENT*);
  HRESULT(APIENTRY* pfnGetGammaCaps)(DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS*);
  HRESULT(APIENTRY* pfnSetDisplayMode)(DXGI_DDI_ARG_SETDISPLAYMODE*);
  HRESULT(APIENTRY* pfnSetResourcePriority)(DXGI_DDI_ARG_SETRESOURCEPRIORITY*);
  HRESULT(APIENTRY* pfnQueryResourceResidency)(DXGI_DDI_ARG_QUERYRESOURCERESIDENCY*);
  HRESULT(APIENTRY* pfnRotateResourceIdentities)(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES*);
  HRESULT(APIENTRY* pfnBlt)(DXGI_DDI_ARG_BLT*);
  HRESULT(APIENTRY* pfnResolveSharedResource)(DXGI_DDI_ARG_RESOLVESHAREDRESOURCE*);
  HRESULT(APIENTRY* pfnBlt1)(DXGI_DDI_ARG_BLT1*);
  PVOID pfnOfferResources;
  PVOID pfnReclaimResources;
  PVOID pfnGetMultiplaneOverlayCaps;
  PVOID pfnGetMultiplaneOverlayGroupCaps;
  PVOID pfnReserved1;
  PVOID pfnPresentMultiplaneOverlay;
  PVOID pfnReserved2;
  PVOID pfnPresent1;
  PVOID pfnCheckPresentDurationSupport;
} DXGI1_3_DDI_BASE_FUNCTIONS;

// DXGI_DDI_BASE_ARGS, dxgiddi.h: passes both tables to CreateDevice. The driver fills the table for the runtime's version.
typedef struct DXGI_DDI_BASE_ARGS {
  DXGI_DDI_BASE_CALLBACKS* pDXGIBaseCallbacks;
  union {
    DXGI1_3_DDI_BASE_FUNCTIONS* pDXGIDDIBaseFunctions4;
    DXGI1_2_DDI_BASE_FUNCTIONS* pDXGIDDIBaseFunctions3;
    DXGI1_1_DDI_BASE_FUNCTIONS* pDXGIDDIBaseFunctions2;
    DXGI_DDI_BASE_FUNCTIONS* pDXGIDDIBaseFunctions;
  };
} DXGI_DDI_BASE_ARGS;
