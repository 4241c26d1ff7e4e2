// Page tables of a GPU's virtual addresses, history buffers and virtual machines: types for drivers that are built for other
// kernels, too. This kernel gives out no GPU virtual addresses and calls none of these. Part of d3dkmddi.h.
#pragma once

#include "d3dkmddi/paging_virtual.h"

// DXGK_GPUMMUCAPS, d3dkmddi.h: the answer to DXGKQAITYPE_GPUMMUCAPS.
typedef struct _DXGK_GPUMMUCAPS {
  union {
    struct {
      UINT ReadOnlyMemorySupported : 1;                 // 0x00000001
      UINT NoExecuteMemorySupported : 1;                // 0x00000002
      UINT ZeroInPteSupported : 1;                      // 0x00000004
      UINT ExplicitPageTableInvalidation : 1;           // 0x00000008
      UINT CacheCoherentMemorySupported : 1;            // 0x00000010
      UINT PageTableUpdateRequireAddressSpaceIdle : 1;  // 0x00000020
      UINT LargePageSupported : 1;                      // 0x00000040
      UINT DualPteSupported : 1;                        // 0x00000080
      UINT AllowNonAlignedLargePageAddress : 1;         // 0x00000100
      UINT SysMem64KBPageSupported : 1;                 // 0x00000200
      UINT InvalidTlbEntriesNotCached : 1;              // 0x00000400
      UINT SysMemLargePageSupported : 1;                // 0x00000800
      UINT CachedPageTables : 1;                        // 0x00001000
      UINT Reserved : 19;
    };
    UINT Value;
  };
  DXGK_PAGETABLEUPDATEMODE PageTableUpdateMode;
  UINT VirtualAddressBitCount;
  UINT LeafPageTableSizeFor64KPagesInBytes;
  UINT PageTableLevelCount;
  struct {
    UINT SourcePageTableVaInTransfer : 1;
    UINT Reserved : 31;
  } LegacyBehaviors;
} DXGK_GPUMMUCAPS;

// DXGK_PAGE_TABLE_LEVEL_DESC, d3dkmddi.h.
typedef struct _DXGK_PAGE_TABLE_LEVEL_DESC {
  UINT PageTableIndexBitCount;
  UINT PageTableSegmentId;
  UINT PagingProcessPageTableSegmentId;
  UINT PageTableSizeInBytes;
  UINT PageTableAlignmentInBytes;
} DXGK_PAGE_TABLE_LEVEL_DESC;

// DXGKARG_SETROOTPAGETABLE and DXGKARG_GETROOTPAGETABLESIZE, d3dkmddi.h.
typedef struct _DXGKARG_SETROOTPAGETABLE {
  HANDLE hContext;
  D3DGPU_PHYSICAL_ADDRESS Address;
  UINT NumEntries;
} DXGKARG_SETROOTPAGETABLE;

typedef struct _DXGKARG_GETROOTPAGETABLESIZE {
  UINT NumberOfPte;
  UINT PhysicalAdapterIndex;
} DXGKARG_GETROOTPAGETABLESIZE;

// DXGKARG_HISTORYBUFFERPRECISION and DXGKARG_FORMATHISTORYBUFFER, d3dkmddi.h.
typedef struct _DXGKARG_HISTORYBUFFERPRECISION {
  UINT32 PrecisionBits;
} DXGKARG_HISTORYBUFFERPRECISION;

typedef struct _DXGKARG_FORMATHISTORYBUFFER {
  VOID* pHistoryBuffer;
  UINT HistoryBufferSize;
  VOID* pFormattedBuffer;
  UINT FormattedBufferSize;
  UINT NumTimestamps;
  DXGKARG_HISTORYBUFFERPRECISION Precision;
  UINT Offset;
} DXGKARG_FORMATHISTORYBUFFER;

// DXGK_VIRTUALMACHINEDATAFLAGS and DXGKARG_SETVIRTUALMACHINEDATA, d3dkmddi.h.
typedef struct _DXGK_VIRTUALMACHINEDATAFLAGS {
  union {
    struct {
      UINT SecureVirtualMachine : 1;  // 0x00000001
      UINT LinuxVirtualMachine : 1;   // 0x00000002
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_VIRTUALMACHINEDATAFLAGS;

typedef struct _DXGKARG_SETVIRTUALMACHINEDATA {
  HANDLE hKmdVmWorkerProcess;
  CONST GUID* pVmGuid;
  DXGK_VIRTUALMACHINEDATAFLAGS Flags;
} DXGKARG_SETVIRTUALMACHINEDATA;
