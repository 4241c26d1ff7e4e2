// Paging operations on GPU virtual addresses and page tables. Part of d3dkmddi.h. Public page: "GPU
// virtual memory in WDDM 2.0".
#pragma once

#include "d3dkmdt.h"
#include "wddm_kernel.h"

// DXGK_TRANSFERVIRTUALFLAGS, d3dkmddi.h.
typedef struct _DXGK_TRANSFERVIRTUALFLAGS {
  union {
    struct {
      UINT Src64KBPages : 1;  // 0x00000001
      UINT Dst64KBPages : 1;  // 0x00000002
      UINT Reserved : 30;
    };
    UINT Flags;
  };
} DXGK_TRANSFERVIRTUALFLAGS;

// DXGK_MEMORY_TRANSFER_DIRECTION, d3dkmddi.h.
typedef enum _DXGK_MEMORY_TRANSFER_DIRECTION WDDM_ENUM {
  DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM = 0,
  DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL = 1,
  DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL = 2,
} DXGK_MEMORY_TRANSFER_DIRECTION;

// DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL, d3dkmddi.h.
typedef struct _DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL {
  HANDLE hAllocation;
  UINT64 AllocationOffsetInBytes;
  UINT64 TransferSizeInBytes;
  D3DGPU_VIRTUAL_ADDRESS SourceVirtualAddress;
  D3DGPU_VIRTUAL_ADDRESS DestinationVirtualAddress;
  D3DGPU_VIRTUAL_ADDRESS SourcePageTable;
  DXGK_MEMORY_TRANSFER_DIRECTION TransferDirection;
  DXGK_TRANSFERVIRTUALFLAGS Flags;
  D3DGPU_VIRTUAL_ADDRESS DestinationPageTable;
} DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL;

// DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL, d3dkmddi.h.
typedef struct _DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL {
  HANDLE hAllocation;
  UINT64 AllocationOffsetInBytes;
  UINT64 FillSizeInBytes;
  UINT FillPattern;
  D3DGPU_VIRTUAL_ADDRESS DestinationVirtualAddress;
} DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL;

// DXGK_PTE and the page table update, d3dkmddi.h.
typedef enum _DXGK_PTE_PAGE_SIZE WDDM_ENUM {
  DXGK_PTE_PAGE_TABLE_PAGE_4KB = 0,
  DXGK_PTE_PAGE_TABLE_PAGE_64KB = 1,
} DXGK_PTE_PAGE_SIZE;

typedef struct _DXGK_PTE {
  union {
    struct {
      ULONGLONG Valid : 1;
      ULONGLONG Zero : 1;
      ULONGLONG CacheCoherent : 1;
      ULONGLONG ReadOnly : 1;
      ULONGLONG NoExecute : 1;
      ULONGLONG Segment : 5;
      ULONGLONG LargePage : 1;
      ULONGLONG PhysicalAdapterIndex : 6;
      ULONGLONG PageTablePageSize : 2;
      ULONGLONG SystemReserved0 : 1;
      ULONGLONG Reserved : 44;
    };
    ULONGLONG Flags;
  };
  union {
    ULONGLONG PageAddress;
    ULONGLONG PageTableAddress;
  };
} DXGK_PTE;

typedef enum _DXGK_PAGETABLEUPDATEMODE WDDM_ENUM {
  DXGK_PAGETABLEUPDATE_CPU_VIRTUAL = 0,
  DXGK_PAGETABLEUPDATE_GPU_VIRTUAL = 1,
  DXGK_PAGETABLEUPDATE_GPU_PHYSICAL = 2,
} DXGK_PAGETABLEUPDATEMODE;

typedef struct _DXGK_UPDATEPAGETABLEFLAGS {
  UINT Repeat : 1;          // 0x00000001
  UINT InitialUpdate : 1;   // 0x00000002
  UINT NotifyEviction : 1;  // 0x00000004
  UINT Use64KBPages : 1;    // 0x00000008
  UINT NativeFence : 1;     // 0x00000010
  UINT Reserved : 27;
} DXGK_UPDATEPAGETABLEFLAGS;

typedef struct _DXGK_PAGETABLEUPDATEADDRESS {
  union {
    D3DGPU_VIRTUAL_ADDRESS GpuVirtual;
    VOID* CpuVirtual;
    D3DGPU_PHYSICAL_ADDRESS GpuPhysical;
  };
} DXGK_PAGETABLEUPDATEADDRESS;

typedef struct _DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE {
  UINT PageTableLevel;
  HANDLE hAllocation;
  DXGK_PAGETABLEUPDATEADDRESS PageTableAddress;
  DXGK_PTE* pPageTableEntries;
  UINT StartIndex;
  UINT NumPageTableEntries;
  UINT Reserved0;
  DXGK_UPDATEPAGETABLEFLAGS Flags;
  UINT64 DriverProtection;
  UINT64 AllocationOffsetInBytes;
  HANDLE hProcess;
  DXGK_PAGETABLEUPDATEMODE UpdateMode;
  DXGK_PTE* pPageTableEntries64KB;
  D3DGPU_VIRTUAL_ADDRESS FirstPteVirtualAddress;
} DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE;

// DXGK_BUILDPAGINGBUFFER_FLUSHTLB, d3dkmddi.h.
typedef struct _DXGK_BUILDPAGINGBUFFER_FLUSHTLB {
  D3DGPU_PHYSICAL_ADDRESS RootPageTableAddress;
  HANDLE hProcess;
  D3DGPU_VIRTUAL_ADDRESS StartVirtualAddress;
  D3DGPU_VIRTUAL_ADDRESS EndVirtualAddress;
} DXGK_BUILDPAGINGBUFFER_FLUSHTLB;

// DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES, d3dkmddi.h.
typedef struct _DXGK_BUILDPAGINGBUFFER_COPY_RANGE {
  UINT NumPageTableEntries;
  D3DGPU_VIRTUAL_ADDRESS SrcPageTableAddress;
  D3DGPU_VIRTUAL_ADDRESS DstPageTableAddress;
  UINT SrcStartPteIndex;
  UINT DstStartPteIndex;
} DXGK_BUILDPAGINGBUFFER_COPY_RANGE;

typedef struct _DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES {
  UINT NumRanges;
  CONST DXGK_BUILDPAGINGBUFFER_COPY_RANGE* pRanges;
} DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES;

// DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION, d3dkmddi.h.
typedef struct _DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION {
  D3DGPU_VIRTUAL_ADDRESS ContextAllocation;
  UINT64 ContextAllocationSize;
  VOID* pDriverPrivateData;
  UINT DriverPrivateDataSize;
} DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION;

// DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY, d3dkmddi.h.
typedef struct _DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY {
  HANDLE hAllocation;
  D3DGPU_PHYSICAL_ADDRESS PhysicalAddress;
  union {
    struct {
      UINT Resident : 1;
      UINT Reserved : 31;
    };
  };
} DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY;

// DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE, d3dkmddi.h.
typedef struct _DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE {
  D3DGPU_VIRTUAL_ADDRESS MonitoredFenceGpuVa;
  UINT64 MonitoredFenceValue;
} DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE;

// DXGK_ADL, d3dkmddi.h: an address descriptor list, logical addresses behind an IOMMU.
typedef UINT_PTR DXGK_PAGE_NUMBER;

typedef struct _DXGK_ADL_FLAGS {
  union {
    struct {
      UINT32 Contiguous : 1;  // 0x00000001
      UINT32 Reserved : 31;
    };
    UINT32 Value;
  };
} DXGK_ADL_FLAGS;

typedef struct _DXGK_ADL {
  UINT32 PageCount;
  DXGK_ADL_FLAGS Flags;
  union {
    DXGK_PAGE_NUMBER BasePageNumber;  // With Flags.Contiguous.
    CONST DXGK_PAGE_NUMBER* Pages;
  };
} DXGK_ADL;

// WDDM 3.2: DXGK_BUILDPAGINGBUFFER_NOTIFY_FENCE_RESIDENCY, d3dkmddi.h.
typedef struct _DXGK_FENCE_RESIDENCY_INFO {
  HANDLE hGlobalNativeFence;
  D3DGPU_PHYSICAL_ADDRESS CurrentValuePhysicalAddress;
  D3DGPU_PHYSICAL_ADDRESS MonitoredValuePhysicalAddress;
  PVOID CurrentValueKernelCpuVa;
  PVOID MonitoredValueKernelCpuVa;
} DXGK_FENCE_RESIDENCY_INFO;

typedef struct _DXGK_BUILDPAGINGBUFFER_NOTIFY_FENCE_RESIDENCY {
  UINT NumFences;
  union {
    struct {
      UINT Resident : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  } Flags;
  DXGK_FENCE_RESIDENCY_INFO* FenceResidencyInfo;
} DXGK_BUILDPAGINGBUFFER_NOTIFY_FENCE_RESIDENCY;

// DXGK_BUILDPAGINGBUFFER_MAPMMU and UNMAPMMU, d3dkmddi.h.
typedef struct _DXGK_BUILDPAGINGBUFFER_MAPMMU {
  HANDLE hAllocation;
  D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
  UINT16 MmuId;
  UINT16 SegmentId;
  UINT AllocationOffsetInPages;
  DXGK_ADL Adl;
} DXGK_BUILDPAGINGBUFFER_MAPMMU;

typedef struct _DXGK_BUILDPAGINGBUFFER_UNMAPMMU {
  HANDLE hAllocation;
  D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
  UINT16 MmuId;
  UINT16 Reserved0;
  UINT AllocationOffset;
  UINT NumberOfPages;
} DXGK_BUILDPAGINGBUFFER_UNMAPMMU;

// DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2, d3dkmddi.h.
typedef struct _DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2 {
  HANDLE hAllocation;
  UINT AllocationOffsetInPages;
  UINT SizeInPages;
  UINT16 SegmentId;
  UINT16 Padding0;
  union {
    D3DGPU_PHYSICAL_ADDRESS PhysicalAddress;
    MDL* Mdl;
  };
  struct {
    UINT Resident : 1;
    UINT Reserved : 31;
  };
} DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2;

// DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC, d3dkmddi.h. hKmdProcessHandle is NULL with Flags.Eviction.
typedef struct _DXGK_NOTIFYALLOCFLAGS {
  union {
    struct {
      UINT Eviction : 1;    // 0x00000001
      UINT IoMmuUnmap : 1;  // 0x00000002
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_NOTIFYALLOCFLAGS;

typedef struct _DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC {
  HANDLE hAllocation;
  HANDLE hKmdProcessHandle;
  DXGK_NOTIFYALLOCFLAGS Flags;
  UINT64 OffsetInBytes;
  UINT64 SizeInBytes;
  UINT64 GpuVirtualAddressAtOffset;
} DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC;
