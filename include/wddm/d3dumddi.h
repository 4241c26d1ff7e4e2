// Callbacks from a user-mode driver to its runtime and so to the kernel. Public header page: d3dumddi.h.
// Every callback returns S_OK, E_OUTOFMEMORY, E_INVALIDARG or D3DDDIERR_DEVICEREMOVED.
#pragma once

#include "d3dukmdt.h"

// D3DDDICB_QUERYADAPTERINFO and D3DDDI_ADAPTERCALLBACKS, d3dumddi.h. The query reaches the kernel-mode
// driver as DXGKQAITYPE_UMDRIVERPRIVATE.
typedef struct _D3DDDICB_QUERYADAPTERINFO {
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
} D3DDDICB_QUERYADAPTERINFO;

typedef HRESULT(APIENTRY CALLBACK* PFND3DDDI_QUERYADAPTERINFOCB)(HANDLE hAdapter, CONST D3DDDICB_QUERYADAPTERINFO*);

typedef struct _D3DDDI_ADAPTERCALLBACKS {
  PFND3DDDI_QUERYADAPTERINFOCB pfnQueryAdapterInfoCb;
  PVOID pfnGetMultisampleMethodListCb;
  PVOID pfnQueryAdapterInfoCb2;
} D3DDDI_ADAPTERCALLBACKS;

// D3DDDICB_ALLOCATE, d3dumddi.h. hResource is the runtime's handle, hKMResource output.
typedef struct _D3DDDICB_ALLOCATE {
  CONST VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hResource;
  D3DKMT_HANDLE hKMResource;
  UINT NumAllocations;
  union {
    D3DDDI_ALLOCATIONINFO* pAllocationInfo;
    D3DDDI_ALLOCATIONINFO2* pAllocationInfo2;
  };
} D3DDDICB_ALLOCATE;

// D3DDDICB_DEALLOCATE, d3dumddi.h: a resource, or a list of allocations.
typedef struct _D3DDDICB_DEALLOCATE {
  HANDLE hResource;
  UINT NumAllocations;
  CONST D3DKMT_HANDLE* HandleList;
} D3DDDICB_DEALLOCATE;

// D3DDDICB_PRESENT, d3dumddi.h: the Direct3D 9 form; dxgiddi.h has the DXGI one.
typedef struct _D3DDDICB_PRESENT {
  D3DKMT_HANDLE hSrcAllocation;
  D3DKMT_HANDLE hDstAllocation;
  HANDLE hContext;
  UINT BroadcastContextCount;
  HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
  D3DKMT_HANDLE* BroadcastSrcAllocation;
  D3DKMT_HANDLE* BroadcastDstAllocation;
  UINT PrivateDriverDataSize;
  PVOID pPrivateDriverData;
  BOOLEAN bOptimizeForComposition;
  BOOL SyncIntervalOverrideValid;
  D3DDDI_FLIPINTERVAL_TYPE SyncIntervalOverride;
} D3DDDICB_PRESENT;

// D3DDDICB_RENDERFLAGS and D3DDDICB_RENDER, d3dumddi.h.
typedef struct _D3DDDICB_RENDERFLAGS {
  union {
    struct {
      UINT ResizeCommandBuffer : 1;      // 0x00000001
      UINT ResizeAllocationList : 1;     // 0x00000002
      UINT ResizePatchLocationList : 1;  // 0x00000004
      UINT NullRendering : 1;            // 0x00000008
      UINT Reserved : 28;
    };
    UINT Value;
  };
} D3DDDICB_RENDERFLAGS;

// D3DDDI_MARKERLOGTYPE, d3dumddi.h.
typedef enum D3DDDI_MARKERLOGTYPE WDDM_ENUM {
  D3DDDIMLT_NONE = 0,
  D3DDDIMLT_PROFILE = 1,
  D3DDDIMLT_FT_PROFILE = 2,
  D3DDDIMLT_BATCHED = 3,
} D3DDDI_MARKERLOGTYPE;

typedef struct _D3DDDICB_RENDER {
  UINT CommandLength;
  UINT CommandOffset;
  UINT NumAllocations;
  UINT NumPatchLocations;
  VOID* pNewCommandBuffer;
  UINT NewCommandBufferSize;
  D3DDDI_ALLOCATIONLIST* pNewAllocationList;
  UINT NewAllocationListSize;
  D3DDDI_PATCHLOCATIONLIST* pNewPatchLocationList;
  UINT NewPatchLocationListSize;
  D3DDDICB_RENDERFLAGS Flags;
  HANDLE hContext;
  UINT BroadcastContextCount;
  HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
  ULONG QueuedBufferCount;
  D3DGPU_VIRTUAL_ADDRESS NewCommandBuffer;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  D3DDDI_MARKERLOGTYPE MarkerLogType;
  UINT RenderCBSequence;
  union {
    struct {
      UINT FirstAPISequenceNumberHigh;
      UINT CompletedAPISequenceNumberLow0Size;
      UINT CompletedAPISequenceNumberLow1Size;
      UINT BegunAPISequenceNumberLow0Size;
      UINT BegunAPISequenceNumberLow1Size;
    };
    UINT BatchedMarkerDataCount;
  };
  union {
    struct {
      CONST UINT* pCompletedAPISequenceNumberLow0;
      CONST UINT* pCompletedAPISequenceNumberLow1;
      CONST UINT* pBegunAPISequenceNumberLow0;
      CONST UINT* pBegunAPISequenceNumberLow1;
    };
    CONST VOID* pBatchedMarkerData;
  };
} D3DDDICB_RENDER;

// D3DDDICB_LOCK and D3DDDICB_UNLOCK, d3dumddi.h.
typedef struct _D3DDDICB_LOCK {
  D3DKMT_HANDLE hAllocation;
  UINT PrivateDriverData;
  UINT NumPages;
  CONST UINT* pPages;
  VOID* pData;
  D3DDDICB_LOCKFLAGS Flags;
  D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
} D3DDDICB_LOCK;

typedef struct _D3DDDICB_UNLOCK {
  UINT NumAllocations;
  CONST D3DKMT_HANDLE* phAllocations;
} D3DDDICB_UNLOCK;

// D3DDDICB_CREATECONTEXT and D3DDDICB_DESTROYCONTEXT, d3dumddi.h.
typedef struct _D3DDDICB_CREATECONTEXT {
  UINT NodeOrdinal;
  UINT EngineAffinity;
  D3DDDI_CREATECONTEXTFLAGS Flags;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hContext;
  VOID* pCommandBuffer;
  UINT CommandBufferSize;
  D3DDDI_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationList;
  UINT PatchLocationListSize;
  D3DGPU_VIRTUAL_ADDRESS CommandBuffer;
} D3DDDICB_CREATECONTEXT;

typedef struct _D3DDDICB_DESTROYCONTEXT {
  HANDLE hContext;
} D3DDDICB_DESTROYCONTEXT;

// D3DDDICB_ESCAPE, d3dumddi.h.
typedef struct _D3DDDICB_ESCAPE {
  HANDLE hDevice;
  D3DDDI_ESCAPEFLAGS Flags;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hContext;
} D3DDDICB_ESCAPE;

// D3DDDI_RESIDENCYSTATUS and D3DDDICB_QUERYRESIDENCY, d3dumddi.h. The query names a resource of the runtime or a list of
// allocations.
typedef enum _D3DDDI_RESIDENCYSTATUS WDDM_ENUM {
  D3DDDI_RESIDENCYSTATUS_RESIDENTINGPUMEMORY = 1,
  D3DDDI_RESIDENCYSTATUS_RESIDENTINSHAREDMEMORY = 2,
  D3DDDI_RESIDENCYSTATUS_NOTRESIDENT = 3,
} D3DDDI_RESIDENCYSTATUS;

typedef struct _D3DDDICB_QUERYRESIDENCY {
  HANDLE hResource;
  UINT NumAllocations;
  CONST D3DKMT_HANDLE* HandleList;
  D3DDDI_RESIDENCYSTATUS* pResidencyStatus;
} D3DDDICB_QUERYRESIDENCY;

// D3DDDICB_SETDISPLAYMODE, d3dumddi.h. PrivateDriverFormatAttribute is output.
typedef struct _D3DDDICB_SETDISPLAYMODE {
  D3DKMT_HANDLE hPrimaryAllocation;
  UINT PrivateDriverFormatAttribute;
} D3DDDICB_SETDISPLAYMODE;

typedef HRESULT(APIENTRY CALLBACK* PFND3DDDI_ALLOCATECB)(HANDLE hDevice, D3DDDICB_ALLOCATE*);
typedef HRESULT(APIENTRY CALLBACK* PFND3DDDI_DEALLOCATECB)(HANDLE hDevice, CONST D3DDDICB_DEALLOCATE*);
typedef HRESULT(APIENTRY CALLBACK* PFND3DDDI_QUERYRESIDENCYCB)(HANDLE hDevice, CONST D3DDDICB_QUERYRESIDENCY*);
typedef HRESULT(APIENTRY CALLBACK* PFND3DDDI_SETDISPLAYMODECB)(HANDLE hDevice, D3DDDICB_SETDISPLAYMODE*);
typedef HRESULT(APIENTRY CALLBACK* PFND3DDDI_PRESENTCB)(HANDLE hDevice, CONST D3DDDICB_PRESENT*);
typedef HRESULT(APIENTRY CALLBACK* PFND3DDDI_RENDERCB)(HANDLE hDevice, D3DDDICB_RENDER*);
typedef HRESULT(APIENTRY CALLBACK* PFND3DDDI_LOCKCB)(HANDLE hDevice, D3DDDICB_LOCK*);
typedef HRESULT(APIENTRY CALLBACK* PFND3DDDI_UNLOCKCB)(HANDLE hDevice, CONST D3DDDICB_UNLOCK*);
typedef HRESULT(APIENTRY CALLBACK* PFND3DDDI_ESCAPECB)(HANDLE hAdapter, CONST D3DDDICB_ESCAPE*);
typedef HRESULT(APIENTRY CALLBACK* PFND3DDDI_CREATECONTEXTCB)(HANDLE hDevice, D3DDDICB_CREATECONTEXT*);
typedef HRESULT(APIENTRY CALLBACK* PFND3DDDI_DESTROYCONTEXTCB)(HANDLE hDevice, CONST D3DDDICB_DESTROYCONTEXT*);

// D3DDDI_DEVICECALLBACKS, d3dumddi.h. Slots without a type here are PVOID and NULL.
typedef struct _D3DDDI_DEVICECALLBACKS {
  PFND3DDDI_ALLOCATECB pfnAllocateCb;
  PFND3DDDI_DEALLOCATECB pfnDeallocateCb;
  PVOID pfnSetPriorityCb;
  PFND3DDDI_QUERYRESIDENCYCB pfnQueryResidencyCb;
  PFND3DDDI_SETDISPLAYMODECB pfnSetDisplayModeCb;
  PFND3DDDI_PRESENTCB pfnPresentCb;
  PFND3DDDI_RENDERCB pfnRenderCb;
  PFND3DDDI_LOCKCB pfnLockCb;
  PFND3DDDI_UNLOCKCB pfnUnlockCb;
  PFND3DDDI_ESCAPECB pfnEscapeCb;
  PVOID pfnCreateOverlayCb;
  PVOID pfnUpdateOverlayCb;
  PVOID pfnFlipOverlayCb;
  PVOID pfnDestroyOverlayCb;
  PFND3DDDI_CREATECONTEXTCB pfnCreateContextCb;
  PFND3DDDI_DESTROYCONTEXTCB pfnDestroyContextCb;
  PVOID pfnCreateSynchronizationObjectCb;
  PVOID pfnDestroySynchronizationObjectCb;
  PVOID pfnWaitForSynchronizationObjectCb;
  PVOID pfnSignalSynchronizationObjectCb;
  PVOID pfnSetAsyncCallbacksCb;
  PVOID pfnSetDisplayPrivateDriverFormatCb;
  PVOID pfnOfferAllocationsCb;
  PVOID pfnReclaimAllocationsCb;
  PVOID pfnCreateSynchronizationObject2Cb;
  PVOID pfnWaitForSynchronizationObject2Cb;
  PVOID pfnSignalSynchronizationObject2Cb;
  PVOID pfnPresentMultiPlaneOverlayCb;
  PVOID pfnLogUMDMarkerCb;
  PVOID pfnMakeResidentCb;
  PVOID pfnEvictCb;
  PVOID pfnWaitForSynchronizationObjectFromCpuCb;
  PVOID pfnSignalSynchronizationObjectFromCpuCb;
  PVOID pfnWaitForSynchronizationObjectFromGpuCb;
  PVOID pfnSignalSynchronizationObjectFromGpuCb;
  PVOID pfnCreatePagingQueueCb;
  PVOID pfnDestroyPagingQueueCb;
  PVOID pfnLock2Cb;
  PVOID pfnUnlock2Cb;
  PVOID pfnInvalidateCacheCb;
  PVOID pfnReserveGpuVirtualAddressCb;
  PVOID pfnMapGpuVirtualAddressCb;
  PVOID pfnFreeGpuVirtualAddressCb;
  PVOID pfnUpdateGpuVirtualAddressCb;
  PVOID pfnCreateContextVirtualCb;
  PVOID pfnSubmitCommandCb;
  PVOID pfnDeallocate2Cb;
  PVOID pfnSignalSynchronizationObjectFromGpu2Cb;
  PVOID pfnReclaimAllocations2Cb;
  PVOID pfnGetResourcePresentPrivateDriverDataCb;
  PVOID pfnUpdateAllocationPropertyCb;
  PVOID pfnOfferAllocations2Cb;
  PVOID pfnReclaimAllocations3Cb;
  PVOID pfnAcquireResourceCb;
  PVOID pfnReleaseResourceCb;
  PVOID pfnCreateHwContextCb;
  PVOID pfnDestroyHwContextCb;
  PVOID pfnCreateHwQueueCb;
  PVOID pfnDestroyHwQueueCb;
  PVOID pfnSubmitCommandToHwQueueCb;
  PVOID pfnSubmitWaitForSyncObjectsToHwQueueCb;
  PVOID pfnSubmitSignalSyncObjectsToHwQueueCb;
  PVOID pfnSubmitPresentBltToHwQueueCb;
  PVOID pfnSubmitPresentToHwQueueCb;
  PVOID pfnSubmitHistorySequenceCb;
} D3DDDI_DEVICECALLBACKS;

#include "d3dumddi_device.h"
