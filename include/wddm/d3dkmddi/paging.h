// Paging: moving, filling and mapping allocations. Part of d3dkmddi.h.
#pragma once

#include "d3dkmddi/paging_virtual.h"

// DXGK_BUILDPAGINGBUFFER_OPERATION, d3dkmddi.h.
typedef enum _DXGK_BUILDPAGINGBUFFER_OPERATION WDDM_ENUM {
  DXGK_OPERATION_TRANSFER = 0,
  DXGK_OPERATION_FILL = 1,
  DXGK_OPERATION_DISCARD_CONTENT = 2,
  DXGK_OPERATION_READ_PHYSICAL = 3,
  DXGK_OPERATION_WRITE_PHYSICAL = 4,
  DXGK_OPERATION_MAP_APERTURE_SEGMENT = 5,
  DXGK_OPERATION_UNMAP_APERTURE_SEGMENT = 6,
  DXGK_OPERATION_SPECIAL_LOCK_TRANSFER = 7,
  DXGK_OPERATION_VIRTUAL_TRANSFER = 8,
  DXGK_OPERATION_VIRTUAL_FILL = 9,
  DXGK_OPERATION_INIT_CONTEXT_RESOURCE = 10,
  DXGK_OPERATION_UPDATE_PAGE_TABLE = 11,
  DXGK_OPERATION_FLUSH_TLB = 12,
  DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION = 13,
  DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES = 14,
  DXGK_OPERATION_NOTIFY_RESIDENCY = 15,
  DXGK_OPERATION_SIGNAL_MONITORED_FENCE = 16,
  DXGK_OPERATION_MAP_APERTURE_SEGMENT2 = 17,
  DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY = 18,
  DXGK_OPERATION_MAP_MMU = 19,
  DXGK_OPERATION_UNMAP_MMU = 20,
  DXGK_OPERATION_NOTIFY_RESIDENCY2 = 21,
  DXGK_OPERATION_NOTIFY_ALLOC = 22,
} DXGK_BUILDPAGINGBUFFER_OPERATION;

// DXGK_TRANSFERFLAGS, d3dkmddi.h. TransferStart may be seen several times until TransferEnd.
typedef struct _DXGK_TRANSFERFLAGS {
  union {
    struct {
      UINT Swizzle : 1;           // 0x00000001
      UINT Unswizzle : 1;         // 0x00000002
      UINT AllocationIsIdle : 1;  // 0x00000004
      UINT TransferStart : 1;     // 0x00000008
      UINT TransferEnd : 1;       // 0x00000010
      UINT Reserved : 27;
    };
    UINT Value;
  };
} DXGK_TRANSFERFLAGS;

// DXGK_DISCARDCONTENTFLAGS, d3dkmddi.h.
typedef struct _DXGK_DISCARDCONTENTFLAGS {
  union {
    struct {
      UINT AllocationIsIdle : 1;  // 0x00000001
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_DISCARDCONTENTFLAGS;

// DXGK_MAPAPERTUREFLAGS, d3dkmddi.h.
typedef struct _DXGK_MAPAPERTUREFLAGS {
  union {
    struct {
      UINT CacheCoherent : 1;  // 0x00000001
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_MAPAPERTUREFLAGS;

// DXGKARG_BUILDPAGINGBUFFER, d3dkmddi.h. Operation chooses the variant. SegmentId 0 selects the MDL
// (system memory) of a source or destination. hAllocation NULL is a plain copy without swizzle.
typedef struct _DXGKARG_BUILDPAGINGBUFFER {
  VOID* pDmaBuffer;
  UINT DmaSize;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  DXGK_BUILDPAGINGBUFFER_OPERATION Operation;
  UINT MultipassOffset;
  union {
    struct {
      HANDLE hAllocation;
      UINT TransferOffset;
      SIZE_T TransferSize;
      struct {
        UINT SegmentId;
        union {
          PHYSICAL_ADDRESS SegmentAddress;
          MDL* pMdl;
        };
      } Source, Destination;
      DXGK_TRANSFERFLAGS Flags;
      UINT MdlOffset;
    } Transfer;
    struct {
      HANDLE hAllocation;
      SIZE_T FillSize;
      UINT FillPattern;
      struct {
        UINT SegmentId;
        PHYSICAL_ADDRESS SegmentAddress;
      } Destination;
    } Fill;
    struct {
      HANDLE hAllocation;
      DXGK_DISCARDCONTENTFLAGS Flags;
      UINT SegmentId;
      PHYSICAL_ADDRESS SegmentAddress;
    } DiscardContent;
    struct {
      UINT SegmentId;
      PHYSICAL_ADDRESS PhysicalAddress;
    } ReadPhysical, WritePhysical;
    struct {
      HANDLE hDevice;
      HANDLE hAllocation;
      UINT SegmentId;
      SIZE_T OffsetInPages;
      SIZE_T NumberOfPages;
      MDL* pMdl;
      DXGK_MAPAPERTUREFLAGS Flags;
      ULONG MdlOffset;
    } MapApertureSegment;
    struct {
      HANDLE hDevice;
      HANDLE hAllocation;
      UINT SegmentId;
      SIZE_T OffsetInPages;
      SIZE_T NumberOfPages;
      PHYSICAL_ADDRESS DummyPage;
    } UnmapApertureSegment;
    struct {
      HANDLE hAllocation;
      UINT TransferOffset;
      SIZE_T TransferSize;
      struct {
        UINT SegmentId;
        union {
          PHYSICAL_ADDRESS SegmentAddress;
          MDL* pMdl;
        };
      } Source, Destination;
      DXGK_TRANSFERFLAGS Flags;
      UINT SwizzlingRangeId;
      UINT SwizzlingRangeData;
    } SpecialLockTransfer;
    struct {
      HANDLE hAllocation;
      struct {
        UINT SegmentId;
        union {
          PHYSICAL_ADDRESS SegmentAddress;
          MDL* pMdl;
        };
        PVOID VirtualAddress;
        D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
      } Destination;
    } InitContextResource;
    DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL TransferVirtual;
    DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL FillVirtual;
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE UpdatePageTable;
    DXGK_BUILDPAGINGBUFFER_FLUSHTLB FlushTlb;
    DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES CopyPageTableEntries;
    DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION UpdateContextAllocation;
    DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY NotifyResidency;
    DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE SignalMonitoredFence;
    struct {
      HANDLE hDevice;
      HANDLE hAllocation;
      UINT SegmentId;
      SIZE_T OffsetInPages;
      SIZE_T NumberOfPages;
      DXGK_ADL Adl;
      DXGK_MAPAPERTUREFLAGS Flags;
      ULONG AdlOffset;
      PVOID CpuVisibleAddress;
    } MapApertureSegment2;
    DXGK_BUILDPAGINGBUFFER_NOTIFY_FENCE_RESIDENCY NotifyFenceResidency;
    DXGK_BUILDPAGINGBUFFER_MAPMMU MapMmu;
    DXGK_BUILDPAGINGBUFFER_UNMAPMMU UnmapMmu;
    DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2 NotifyResidency2;
    DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC NotifyAllocation;
    struct {
      UINT Reserved[64];
    } Reserved;
  };
  HANDLE hSystemContext;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
  UINT DmaBufferWriteOffset;
} DXGKARG_BUILDPAGINGBUFFER;

// Writes one paging operation into a DMA buffer. Its only failures are
// STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER (with MultipassOffset) and STATUS_GRAPHICS_ALLOCATION_BUSY
// (the kernel idles the allocation and calls again with AllocationIsIdle). PASSIVE_LEVEL, pageable,
// level 1 (GPU scheduler class).
typedef NTSTATUS APIENTRY DXGKDDI_BUILDPAGINGBUFFER(HANDLE hAdapter, DXGKARG_BUILDPAGINGBUFFER* pBuildPagingBuffer);
typedef DXGKDDI_BUILDPAGINGBUFFER* PDXGKDDI_BUILDPAGINGBUFFER;
