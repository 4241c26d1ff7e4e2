// Patching, submission and preemption of DMA buffers. Part of d3dkmddi.h.
#pragma once

#include "d3dkmddi/present.h"

// DXGK_PATCHFLAGS, d3dkmddi.h.
typedef struct _DXGK_PATCHFLAGS {
  union {
    struct {
      UINT Paging : 1;             // 0x00000001
      UINT Present : 1;            // 0x00000002
      UINT RedirectedPresent : 1;  // 0x00000004
      UINT NullRendering : 1;      // 0x00000008
      UINT Reserved : 28;
    };
    UINT Value;
  };
} DXGK_PATCHFLAGS;

// DXGKARG_PATCH, d3dkmddi.h. For a paging buffer both lists are NULL and empty.
typedef struct _DXGKARG_PATCH {
  union {
    HANDLE hDevice;
    HANDLE hContext;
  };
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
  VOID* pDmaBuffer;
  UINT DmaBufferSize;
  UINT DmaBufferSubmissionStartOffset;
  UINT DmaBufferSubmissionEndOffset;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferPrivateDataSubmissionStartOffset;
  UINT DmaBufferPrivateDataSubmissionEndOffset;
  CONST DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  CONST D3DDDI_PATCHLOCATIONLIST* pPatchLocationList;
  UINT PatchLocationListSize;
  UINT PatchLocationListSubmissionStart;
  UINT PatchLocationListSubmissionLength;
  UINT SubmissionFenceId;
  DXGK_PATCHFLAGS Flags;
  UINT EngineOrdinal;
} DXGKARG_PATCH;

// DXGK_SUBMITCOMMANDFLAGS, d3dkmddi.h.
typedef struct _DXGK_SUBMITCOMMANDFLAGS {
  union {
    struct {
      UINT Paging : 1;              // 0x00000001
      UINT Present : 1;             // 0x00000002
      UINT RedirectedPresent : 1;   // 0x00000004
      UINT NullRendering : 1;       // 0x00000008
      UINT Flip : 1;                // 0x00000010
      UINT FlipWithNoWait : 1;      // 0x00000020
      UINT ContextSwitch : 1;       // 0x00000040
      UINT Resubmission : 1;        // 0x00000080
      UINT VirtualMachineData : 1;  // 0x00000100
      UINT Reserved : 23;
    };
    UINT Value;
  };
} DXGK_SUBMITCOMMANDFLAGS;

// DXGKARG_SUBMITCOMMAND, d3dkmddi.h. For a paging buffer hContext may be NULL.
typedef struct _DXGKARG_SUBMITCOMMAND {
  union {
    HANDLE hDevice;
    HANDLE hContext;
  };
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
  UINT DmaBufferSize;
  UINT DmaBufferSubmissionStartOffset;
  UINT DmaBufferSubmissionEndOffset;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferPrivateDataSubmissionStartOffset;
  UINT DmaBufferPrivateDataSubmissionEndOffset;
  UINT SubmissionFenceId;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
  DXGK_SUBMITCOMMANDFLAGS Flags;
  UINT EngineOrdinal;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
  UINT NodeOrdinal;
} DXGKARG_SUBMITCOMMAND;

// DXGKARG_SUBMITCOMMANDVIRTUAL, d3dkmddi.h.
typedef struct _DXGKARG_SUBMITCOMMANDVIRTUAL {
  HANDLE hContext;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
  UINT DmaBufferSize;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferUmdPrivateDataSize;
  UINT SubmissionFenceId;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
  DXGK_SUBMITCOMMANDFLAGS Flags;
  UINT EngineOrdinal;
  UINT NodeOrdinal;
} DXGKARG_SUBMITCOMMANDVIRTUAL;

// DXGK_PREEMPTCOMMANDFLAGS and DXGKARG_PREEMPTCOMMAND, d3dkmddi.h.
typedef struct _DXGK_PREEMPTCOMMANDFLAGS {
  union {
    struct {
      UINT Reserved : 32;
    };
    UINT Value;
  };
} DXGK_PREEMPTCOMMANDFLAGS;

typedef struct _DXGKARG_PREEMPTCOMMAND {
  UINT PreemptionFenceId;
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  DXGK_PREEMPTCOMMANDFLAGS Flags;
} DXGKARG_PREEMPTCOMMAND;

// DXGKARG_CANCELCOMMAND, d3dkmddi.h.
typedef struct _DXGKARG_CANCELCOMMAND {
  HANDLE hContext;
  VOID* pDmaBuffer;
  UINT DmaBufferSize;
  UINT DmaBufferSubmissionStartOffset;
  UINT DmaBufferSubmissionEndOffset;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferPrivateDataSubmissionStartOffset;
  UINT DmaBufferPrivateDataSubmissionEndOffset;
  DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationList;
  UINT PatchLocationListSize;
  UINT PatchLocationListSubmissionStart;
  UINT PatchLocationListSubmissionLength;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
  UINT DmaBufferUmdPrivateDataSize;
} DXGKARG_CANCELCOMMAND;

// DXGKARG_QUERYCURRENTFENCE, d3dkmddi.h.
typedef struct _DXGKARG_QUERYCURRENTFENCE {
  UINT CurrentFence;
  UINT NodeOrdinal;
  UINT EngineOrdinal;
} DXGKARG_QUERYCURRENTFENCE;

// Writes the final addresses into a DMA buffer. May not fail. PASSIVE_LEVEL, pageable, level 1 (GPU
// scheduler class).
typedef NTSTATUS APIENTRY DXGKDDI_PATCH(HANDLE hAdapter, CONST DXGKARG_PATCH* pPatch);
typedef DXGKDDI_PATCH* PDXGKDDI_PATCH;

// Queues a DMA buffer on a node. May not fail. DISPATCH_LEVEL, non-pageable, level 1 (GPU scheduler
// class).
typedef NTSTATUS APIENTRY DXGKDDI_SUBMITCOMMAND(HANDLE hAdapter, CONST DXGKARG_SUBMITCOMMAND* pSubmitCommand);
typedef DXGKDDI_SUBMITCOMMAND* PDXGKDDI_SUBMITCOMMAND;

// Queues a DMA buffer with GPU virtual addresses on a node. May not fail. IRQL not stated; called at DISPATCH_LEVEL, level 1 (GPU
// scheduler class).
typedef NTSTATUS APIENTRY DXGKDDI_SUBMITCOMMANDVIRTUAL(HANDLE hAdapter,
                                                       CONST DXGKARG_SUBMITCOMMANDVIRTUAL* pSubmitCommandVirtual);
typedef DXGKDDI_SUBMITCOMMANDVIRTUAL* PDXGKDDI_SUBMITCOMMANDVIRTUAL;

// Asks the GPU to stop at the next boundary. May not fail; when everything already finished the
// driver reports the preemption itself. DISPATCH_LEVEL, non-pageable, level 1 (GPU scheduler class).
typedef NTSTATUS APIENTRY DXGKDDI_PREEMPTCOMMAND(HANDLE hAdapter, CONST DXGKARG_PREEMPTCOMMAND* pPreemptCommand);
typedef DXGKDDI_PREEMPTCOMMAND* PDXGKDDI_PREEMPTCOMMAND;

// Tells that a rendered buffer will never be submitted. PASSIVE_LEVEL.
typedef NTSTATUS APIENTRY DXGKDDI_CANCELCOMMAND(HANDLE hAdapter, CONST DXGKARG_CANCELCOMMAND* pCancelCommand);
typedef DXGKDDI_CANCELCOMMAND* PDXGKDDI_CANCELCOMMAND;

// Returns the last completed fence of a node. PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_QUERYCURRENTFENCE(HANDLE hAdapter, DXGKARG_QUERYCURRENTFENCE* pCurrentFence);
typedef DXGKDDI_QUERYCURRENTFENCE* PDXGKDDI_QUERYCURRENTFENCE;

// DXGK_ENGINESTATUS, DXGKARG_QUERYENGINESTATUS, DXGKARG_RESETENGINE, DXGKARG_QUERYDEPENDENTENGINEGROUP;
// d3dkmddi.h.
typedef struct _DXGK_ENGINESTATUS {
  union {
    struct {
      UINT Responsive : 1;  // 0x00000001
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_ENGINESTATUS;

typedef struct _DXGKARG_QUERYENGINESTATUS {
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  DXGK_ENGINESTATUS EngineStatus;
} DXGKARG_QUERYENGINESTATUS;

typedef struct _DXGKARG_RESETENGINE {
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  UINT LastAbortedFenceId;
} DXGKARG_RESETENGINE;

typedef struct _DXGKARG_QUERYDEPENDENTENGINEGROUP {
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  ULONGLONG DependentNodeOrdinalMask;
} DXGKARG_QUERYDEPENDENTENGINEGROUP;

// Tells whether an engine makes progress. PASSIVE_LEVEL, pageable, level 1 (GPU scheduler class).
typedef NTSTATUS APIENTRY DXGKDDI_QUERYENGINESTATUS(HANDLE hAdapter, DXGKARG_QUERYENGINESTATUS* pQueryEngineStatus);
typedef DXGKDDI_QUERYENGINESTATUS* PDXGKDDI_QUERYENGINESTATUS;

// Resets one engine and returns the last aborted fence. PASSIVE_LEVEL, pageable, level 1 (GPU
// scheduler class).
typedef NTSTATUS APIENTRY DXGKDDI_RESETENGINE(HANDLE hAdapter, DXGKARG_RESETENGINE* pResetEngine);
typedef DXGKDDI_RESETENGINE* PDXGKDDI_RESETENGINE;

// Names the nodes that a reset of this one takes along. PASSIVE_LEVEL, pageable, level 1 (GPU
// scheduler class).
typedef NTSTATUS APIENTRY DXGKDDI_QUERYDEPENDENTENGINEGROUP(HANDLE hAdapter,
                                                            DXGKARG_QUERYDEPENDENTENGINEGROUP* pQueryDependentEngineGroup);
typedef DXGKDDI_QUERYDEPENDENTENGINEGROUP* PDXGKDDI_QUERYDEPENDENTENGINEGROUP;

// Resets the whole adapter after a timeout; interrupts may still arrive. PASSIVE_LEVEL, pageable,
// level 3.
typedef NTSTATUS APIENTRY DXGKDDI_RESETFROMTIMEOUT(HANDLE hAdapter);
typedef DXGKDDI_RESETFROMTIMEOUT* PDXGKDDI_RESETFROMTIMEOUT;

// Restarts the adapter after ResetFromTimeout. PASSIVE_LEVEL, pageable, level 3.
typedef NTSTATUS APIENTRY DXGKDDI_RESTARTFROMTIMEOUT(HANDLE hAdapter);
typedef DXGKDDI_RESTARTFROMTIMEOUT* PDXGKDDI_RESTARTFROMTIMEOUT;
