// Devices and contexts. Part of d3dkmddi.h.
#pragma once

#include "d3dkmdt.h"

// DXGK_CREATEDEVICEFLAGS, d3dkmddi.h.
typedef struct _DXGK_CREATEDEVICEFLAGS {
  union {
    struct {
      UINT SystemDevice : 1;  // 0x00000001
      UINT GdiDevice : 1;     // 0x00000002
      UINT Reserved : 29;
      UINT Reserved0 : 1;
    };
    UINT Value;
  };
} DXGK_CREATEDEVICEFLAGS;

// DXGK_DEVICEINFOFLAGS and DXGK_DEVICEINFO, d3dkmddi.h. DmaBufferSegmentSet may name aperture segments
// only; 0 means contiguous write-combined system memory.
typedef struct _DXGK_DEVICEINFOFLAGS {
  union {
    struct {
      UINT GuaranteedDmaBufferContract : 1;  // 0x00000001
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_DEVICEINFOFLAGS;

typedef struct _DXGK_DEVICEINFO {
  UINT DmaBufferSize;
  UINT DmaBufferSegmentSet;
  UINT DmaBufferPrivateDataSize;
  UINT AllocationListSize;
  UINT PatchLocationListSize;
  DXGK_DEVICEINFOFLAGS Flags;
} DXGK_DEVICEINFO;

// DXGKARG_CREATEDEVICE, d3dkmddi.h. hDevice is the kernel's handle on entry and the driver's on
// return; Flags is input, pInfo output.
typedef struct _DXGKARG_CREATEDEVICE {
  HANDLE hDevice;
  union {
    DXGK_CREATEDEVICEFLAGS Flags;
    DXGK_DEVICEINFO* pInfo;
  };
  UINT Pasid;
  HANDLE hKmdProcess;
} DXGKARG_CREATEDEVICE;

// DXGK_CREATECONTEXTFLAGS, d3dkmddi.h.
typedef struct _DXGK_CREATECONTEXTFLAGS {
  union {
    struct {
      UINT SystemContext : 1;           // 0x00000001
      UINT GdiContext : 1;              // 0x00000002
      UINT VirtualAddressing : 1;       // 0x00000004
      UINT SystemProtectedContext : 1;  // 0x00000008
      UINT HwQueueSupported : 1;        // 0x00000010
      UINT TestContext : 1;             // 0x00000020
      UINT Reserved : 26;
    };
    UINT Value;
  };
} DXGK_CREATECONTEXTFLAGS;

// Entries of the allocation list of a context for GDI acceleration.
#define DXGK_ALLOCATION_LIST_SIZE_GDICONTEXT 256

// DXGK_CONTEXTINFO_CAPS and DXGK_CONTEXTINFO, d3dkmddi.h.
typedef struct _DXGK_CONTEXTINFO_CAPS {
  union {
    struct {
      UINT NoPatchingRequired : 1;      // 0x00000001
      UINT DriverManagesResidency : 1;  // 0x00000002
      UINT UseIoMmu : 1;                // 0x00000004
      UINT Reserved : 29;
    };
    UINT Value;
  };
} DXGK_CONTEXTINFO_CAPS;

typedef struct _DXGK_CONTEXTINFO {
  UINT DmaBufferSize;
  UINT DmaBufferSegmentSet;
  UINT DmaBufferPrivateDataSize;
  UINT AllocationListSize;
  UINT PatchLocationListSize;
  UINT Reserved;
  DXGK_CONTEXTINFO_CAPS Caps;
  UINT PagingCompanionNodeId;
} DXGK_CONTEXTINFO;

// DXGKARG_CREATECONTEXT, d3dkmddi.h. hContext is in and out, as hDevice above.
typedef struct _DXGKARG_CREATECONTEXT {
  HANDLE hContext;
  UINT NodeOrdinal;
  UINT EngineAffinity;
  DXGK_CREATECONTEXTFLAGS Flags;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  DXGK_CONTEXTINFO ContextInfo;
} DXGKARG_CREATECONTEXT;

// DXGK_CREATEPROCESSFLAGS and DXGKARG_CREATEPROCESS, d3dkmddi.h.
typedef struct _DXGK_CREATEPROCESSFLAGS {
  union {
    struct {
      UINT SystemProcess : 1;                // 0x00000001
      UINT GdiProcess : 1;                   // 0x00000002
      UINT VirtualMachineProcess : 1;        // 0x00000004
      UINT VirtualMachineWorkerProcess : 1;  // 0x00000008
      UINT SessionIsolatedContainer : 1;     // 0x00000010
      UINT Reserved : 27;
    };
    UINT Value;
  };
} DXGK_CREATEPROCESSFLAGS;

typedef struct _DXGKARG_CREATEPROCESS {
  HANDLE hDxgkProcess;
  HANDLE hKmdProcess;
  DXGK_CREATEPROCESSFLAGS Flags;
  UINT NumPasid;
  ULONG* pPasid;
  HANDLE hKmdVmWorkerProcess;
  UINT ProcessNameLength;  // In characters.
  WCHAR* pProcessName;
} DXGKARG_CREATEPROCESS;

// PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_CREATEDEVICE(HANDLE hAdapter, DXGKARG_CREATEDEVICE* pCreateDevice);
typedef DXGKDDI_CREATEDEVICE* PDXGKDDI_CREATEDEVICE;

// PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_DESTROYDEVICE(HANDLE hDevice);
typedef DXGKDDI_DESTROYDEVICE* PDXGKDDI_DESTROYDEVICE;

// PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_CREATECONTEXT(HANDLE hDevice, DXGKARG_CREATECONTEXT* pCreateContext);
typedef DXGKDDI_CREATECONTEXT* PDXGKDDI_CREATECONTEXT;

// PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_DESTROYCONTEXT(HANDLE hContext);
typedef DXGKDDI_DESTROYCONTEXT* PDXGKDDI_DESTROYCONTEXT;

// IRQL not stated; called at PASSIVE_LEVEL.
typedef NTSTATUS APIENTRY DXGKDDI_CREATEPROCESS(HANDLE hAdapter, DXGKARG_CREATEPROCESS* pArgs);
typedef DXGKDDI_CREATEPROCESS* PDXGKDDI_CREATEPROCESS;

// IRQL not stated; called at PASSIVE_LEVEL.
typedef NTSTATUS APIENTRY DXGKDDI_DESTROYPROCESS(HANDLE hAdapter, HANDLE hKmdProcess);
typedef DXGKDDI_DESTROYPROCESS* PDXGKDDI_DESTROYPROCESS;
