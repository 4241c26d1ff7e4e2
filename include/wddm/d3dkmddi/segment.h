// Memory segments that a driver reports. Part of d3dkmddi.h.
#pragma once

#include "d3dkmdt.h"

// DXGK_SEGMENTFLAGS, d3dkmddi.h.
typedef struct _DXGK_SEGMENTFLAGS {
  union {
    struct {
      UINT Aperture : 1;                           // 0x00000001
      UINT Agp : 1;                                // 0x00000002
      UINT CpuVisible : 1;                         // 0x00000004
      UINT UseBanking : 1;                         // 0x00000008
      UINT CacheCoherent : 1;                      // 0x00000010
      UINT PitchAlignment : 1;                     // 0x00000020
      UINT PopulatedFromSystemMemory : 1;          // 0x00000040
      UINT PreservedDuringStandby : 1;             // 0x00000080
      UINT PreservedDuringHibernate : 1;           // 0x00000100
      UINT PartiallyPreservedDuringHibernate : 1;  // 0x00000200
      UINT DirectFlip : 1;                         // 0x00000400
      UINT Use64KBPages : 1;                       // 0x00000800
      UINT ReservedSysMem : 1;
      UINT SupportsCpuHostAperture : 1;           // 0x00002000
      UINT SupportsCachedCpuHostAperture : 1;     // 0x00004000
      UINT ApplicationTarget : 1;                 // 0x00008000
      UINT VprSupported : 1;                      // 0x00010000
      UINT VprPreservedDuringStandby : 1;         // 0x00020000
      UINT EncryptedPagingSupported : 1;          // 0x00040000
      UINT LocalBudgetGroup : 1;                  // 0x00080000
      UINT NonLocalBudgetGroup : 1;               // 0x00100000
      UINT PopulatedByReservedDDRByFirmware : 1;  // 0x00200000
      UINT Reserved : 10;
    };
    UINT Value;
  };
} DXGK_SEGMENTFLAGS;

// DXGK_SEGMENTDESCRIPTOR, d3dkmddi.h: WDDM 1.0 and 1.1.
typedef struct _DXGK_SEGMENTDESCRIPTOR {
  PHYSICAL_ADDRESS BaseAddress;
  PHYSICAL_ADDRESS CpuTranslatedAddress;
  SIZE_T Size;
  UINT NbOfBanks;
  SIZE_T* pBankRangeTable;
  SIZE_T CommitLimit;
  DXGK_SEGMENTFLAGS Flags;
} DXGK_SEGMENTDESCRIPTOR;

// DXGK_SEGMENTDESCRIPTOR3, d3dkmddi.h: WDDM 1.2.
typedef struct _DXGK_SEGMENTDESCRIPTOR3 {
  DXGK_SEGMENTFLAGS Flags;
  PHYSICAL_ADDRESS BaseAddress;
  PHYSICAL_ADDRESS CpuTranslatedAddress;
  SIZE_T Size;
  UINT NbOfBanks;
  SIZE_T* pBankRangeTable;
  SIZE_T CommitLimit;
  SIZE_T SystemMemoryEndAddress;
  SIZE_T Reserved;
} DXGK_SEGMENTDESCRIPTOR3;

// DXGK_CPUHOSTAPERTURE, d3dkmddi.h.
typedef struct _DXGK_CPUHOSTAPERTURE {
  PHYSICAL_ADDRESS PhysicalAddress;
  UINT64 SizeInPages;
} DXGK_CPUHOSTAPERTURE;

// DXGK_SEGMENTDESCRIPTOR4, d3dkmddi.h: WDDM 2.0.
typedef struct _DXGK_SEGMENTDESCRIPTOR4 {
  DXGK_SEGMENTFLAGS Flags;
  PHYSICAL_ADDRESS BaseAddress;
  SIZE_T Size;
  SIZE_T CommitLimit;
  SIZE_T SystemMemoryEndAddress;
  union {
    PHYSICAL_ADDRESS CpuTranslatedAddress;
    DXGK_CPUHOSTAPERTURE CpuHostAperture;
  };
  UINT NumInvalidMemoryRanges;
  SIZE_T VprRangeStartOffset;
  SIZE_T VprRangeSize;
  UINT VprAlignment;
  UINT NumVprSupported;
  UINT VprReserveSize;
  UINT NumUEFIFrameBufferRanges;
} DXGK_SEGMENTDESCRIPTOR4;

// DXGK_QUERYSEGMENTIN, d3dkmddi.h: the AGP aperture, unused today.
typedef struct _DXGK_QUERYSEGMENTIN {
  PHYSICAL_ADDRESS AgpApertureBase;
  LARGE_INTEGER AgpApertureSize;
  DXGK_SEGMENTFLAGS AgpFlags;
} DXGK_QUERYSEGMENTIN;

// DXGK_QUERYSEGMENTOUT, d3dkmddi.h: the form of WDDM 1.0 and 1.1.
typedef struct _DXGK_QUERYSEGMENTOUT {
  UINT NbSegment;
  DXGK_SEGMENTDESCRIPTOR* pSegmentDescriptor;
  UINT PagingBufferSegmentId;
  UINT PagingBufferSize;
  UINT PagingBufferPrivateDataSize;
} DXGK_QUERYSEGMENTOUT;

// DXGK_QUERYSEGMENTOUT3, d3dkmddi.h. Called twice: with a NULL descriptor pointer for NbSegment, then
// with an array. Segment ids are 1-based indexes into it.
typedef struct _DXGK_QUERYSEGMENTOUT3 {
  UINT NbSegment;
  DXGK_SEGMENTDESCRIPTOR3* pSegmentDescriptor;
  UINT PagingBufferSegmentId;
  UINT PagingBufferSize;
  UINT PagingBufferPrivateDataSize;
} DXGK_QUERYSEGMENTOUT3;

// DXGK_QUERYSEGMENTIN4, d3dkmddi.h.
typedef struct _DXGK_QUERYSEGMENTIN4 {
  UINT PhysicalAdapterIndex;
} DXGK_QUERYSEGMENTIN4;

// DXGK_QUERYSEGMENTOUT4, d3dkmddi.h. Descriptors lie SegmentDescriptorStride bytes apart.
typedef struct _DXGK_QUERYSEGMENTOUT4 {
  UINT NbSegment;
  BYTE* pSegmentDescriptor;
  UINT PagingBufferSegmentId;
  UINT PagingBufferSize;
  UINT PagingBufferPrivateDataSize;
  SIZE_T SegmentDescriptorStride;
} DXGK_QUERYSEGMENTOUT4;
