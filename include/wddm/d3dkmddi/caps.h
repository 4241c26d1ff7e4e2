// A driver's report about its adapter. Part of d3dkmddi.h.
#pragma once

#include "d3dkmddi/caps_flags.h"
#include "d3dkmddi/segment.h"

#define DXGK_MAX_ASYMETRICAL_PROCESSING_NODES 64

// DXGK_GPUENGINETOPOLOGY, d3dkmddi.h.
typedef struct _DXGK_GPUENGINETOPOLOGY {
  UINT NbAsymetricProcessingNodes;
  UINT Reserved[DXGK_MAX_ASYMETRICAL_PROCESSING_NODES];
} DXGK_GPUENGINETOPOLOGY;

// DXGK_WDDMVERSION, d3dkmddi.h.
typedef enum _DXGK_WDDMVERSION WDDM_ENUM {
  DXGKDDI_WDDMv1 = 0x1000,
  DXGKDDI_WDDMv1_2 = 0x1200,
  DXGKDDI_WDDMv1_3 = 0x1300,
  DXGKDDI_WDDMv2 = 0x2000,
  DXGKDDI_WDDMv2_1 = 0x2100,
  DXGKDDI_WDDMv2_1_5 = 0x2105,
  DXGKDDI_WDDMv2_1_6 = 0x2106,
  DXGKDDI_WDDMv2_2 = 0x2200,
  DXGKDDI_WDDMv2_3 = 0x2300,
  DXGKDDI_WDDMv2_4 = 0x2400,
  DXGKDDI_WDDMv2_5 = 0x2500,
  DXGKDDI_WDDMv2_6 = 0x2600,
  DXGKDDI_WDDMv2_7 = 0x2700,
  DXGKDDI_WDDMv2_8 = 0x2800,
  DXGKDDI_WDDMv2_9 = 0x2900,
  DXGKDDI_WDDMv3_0 = 0x3000,
  DXGKDDI_WDDMv3_1 = 0x3100,
  DXGKDDI_WDDMv3_2 = 0x3200,
  DXGKDDI_WDDM_LATEST = 0x3200,
} DXGK_WDDMVERSION;

// Deprecated parts of DXGK_DRIVERCAPS, d3dkmddi.h; kept for the layout.
typedef struct _DXGK_VIRTUALADDRESSCAPS_DEPRECATED {
  union {
    struct {
      UINT PrivilegedMemorySupported : 1;
      UINT ReadOnlyMemorySupported : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
  UINT VirtualAddressBitCount;
  UINT PageTableCoverageBitCount;
  UINT PageDirectoryEntrySize;
  UINT PageDirectorySegment;
  UINT PageTableSegment;
  UINT IdealGPUPageSize;
} DXGK_VIRTUALADDRESSCAPS_DEPRECATED;

typedef struct _DXGK_DMABUFFERCAPS_DEPRECATED {
  struct {
    UINT Size;
    UINT PrivateDriverDataSize;
    UINT SegmentId;
    UINT Reserved1;
    UINT Reserved[16];
  } PresentDmaBuffer, PagingDmaBuffer;
} DXGK_DMABUFFERCAPS_DEPRECATED;

// DXGK_HWQUEUEDFLIP_CAPS, d3dkmddi.h.
typedef struct _DXGK_HWQUEUEDFLIP_CAPS {
  union {
    struct {
      UINT Reserved : 32;
    };
    UINT Value;
  };
} DXGK_HWQUEUEDFLIP_CAPS;

// DXGK_DRIVERCAPS, d3dkmddi.h: the answer to DXGKQAITYPE_DRIVERCAPS.
typedef struct _DXGK_DRIVERCAPS {
  PHYSICAL_ADDRESS HighestAcceptableAddress;
  UINT MaxAllocationListSlotId;
  SIZE_T ApertureSegmentCommitLimit;
  UINT MaxPointerWidth;
  UINT MaxPointerHeight;
  DXGK_POINTERFLAGS PointerCaps;
  UINT InterruptMessageNumber;
  UINT NumberOfSwizzlingRanges;
  UINT MaxOverlays;
  union {
    DXGK_GAMMARAMPCAPS GammaRampCaps;
    DXGK_COLORTRANSFORMCAPS ColorTransformCaps;
  };
  DXGK_PRESENTATIONCAPS PresentationCaps;
  UINT MaxQueuedFlipOnVSync;
  DXGK_FLIPCAPS FlipCaps;
  DXGK_VIDSCHCAPS SchedulingCaps;
  DXGK_VIDMMCAPS MemoryManagementCaps;
  DXGK_GPUENGINETOPOLOGY GpuEngineTopology;
  DXGK_WDDMVERSION WDDMVersion;
  DXGK_VIRTUALADDRESSCAPS_DEPRECATED Reserved;
  DXGK_DMABUFFERCAPS_DEPRECATED Reserved1;
  D3DKMDT_PREEMPTION_CAPS PreemptionCaps;
  BOOLEAN SupportNonVGA;
  BOOLEAN SupportSmoothRotation;
  BOOLEAN SupportPerEngineTDR;
  BOOLEAN SupportDirectFlip;
  BOOLEAN SupportMultiPlaneOverlay;
  BOOLEAN SupportRuntimePowerManagement;
  BOOLEAN SupportSurpriseRemovalInHibernation;
  BOOLEAN HybridDiscrete;
  UINT MaxOverlayPlanes;
  BOOLEAN HybridIntegrated;
  D3DGPU_VIRTUAL_ADDRESS InternalGpuVirtualAddressRangeStart;
  D3DGPU_VIRTUAL_ADDRESS InternalGpuVirtualAddressRangeEnd;
  BOOLEAN SupportSurpriseRemoval;
  BOOLEAN SupportMultiPlaneOverlayImmediateFlip;
  BOOLEAN CursorScaledWithMultiPlaneOverlayPlane0;
  BOOLEAN HybridAcpiChainingRequired;
  UINT MaxQueuedMultiPlaneOverlayFlipVSync;
  union {
    struct {
      UINT SupportContextlessPresent : 1;
      UINT Detachable : 1;
      UINT VirtualGpuOnly : 1;
      UINT ComputeOnly : 1;
      UINT IndependentVidPnVSyncControl : 1;
      UINT NoHybridDiscreteDListDllSupport : 1;
      UINT DisplayableSupport : 1;
      UINT NoHybridDiscreteDListDllMuxSupport : 1;
      UINT CursorDoesNotSupportXorBlendWithMultiPlaneOverlay : 1;
      UINT Reserved : 23;
    };
    UINT Value;
  } MiscCaps;
  UINT MaxHwQueuedFlips;
  DXGK_HWQUEUEDFLIP_CAPS HwQueuedFlipCaps;
} DXGK_DRIVERCAPS;

// DXGK_WDDMDEVICECAPS, d3dkmddi.h: the answer to DXGKQAITYPE_WDDMDEVICECAPS, which this kernel does not ask for.
typedef struct _DXGK_WDDMDEVICECAPS {
  DXGK_WDDMVERSION WDDMVersion;
} DXGK_WDDMDEVICECAPS;

// DXGK_QUERYADAPTERINFOTYPE, d3dkmddi.h.
typedef enum _DXGK_QUERYADAPTERINFOTYPE WDDM_ENUM {
  DXGKQAITYPE_UMDRIVERPRIVATE = 0,
  DXGKQAITYPE_DRIVERCAPS = 1,
  DXGKQAITYPE_QUERYSEGMENT = 2,
  DXGKQAITYPE_RESERVED = 3,
  DXGKQAITYPE_QUERYSEGMENT2 = 4,
  DXGKQAITYPE_QUERYSEGMENT3 = 5,
  DXGKQAITYPE_NUMPOWERCOMPONENTS = 6,
  DXGKQAITYPE_POWERCOMPONENTINFO = 7,
  DXGKQAITYPE_PREFERREDGPUNODE = 8,
  DXGKQAITYPE_POWERCOMPONENTPSTATEINFO = 9,
  DXGKQAITYPE_HISTORYBUFFERPRECISION = 10,
  DXGKQAITYPE_QUERYSEGMENT4 = 11,
  DXGKQAITYPE_SEGMENTMEMORYSTATE = 12,
  DXGKQAITYPE_GPUMMUCAPS = 13,
  DXGKQAITYPE_PAGETABLELEVELDESC = 14,
  DXGKQAITYPE_PHYSICALADAPTERCAPS = 15,
  DXGKQAITYPE_DISPLAY_DRIVERCAPS_EXTENSION = 16,
  DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR = 17,
  DXGKQAITYPE_UEFIFRAMEBUFFERRANGES = 18,
  DXGKQAITYPE_QUERYCOLORIMETRYOVERRIDES = 19,
  DXGKQAITYPE_DISPLAYID_DESCRIPTOR = 20,
  DXGKQAITYPE_FRAMEBUFFERSAVESIZE = 21,
  DXGKQAITYPE_HARDWARERESERVEDRANGES = 22,
  DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR2 = 23,
  DXGKQAITYPE_NODEPERFDATA = 24,
  DXGKQAITYPE_ADAPTERPERFDATA = 25,
  DXGKQAITYPE_ADAPTERPERFDATA_CAPS = 26,
  DXGKQAITYPE_GPUVERSION = 27,
  DXGKQAITYPE_DEVICE_TYPE_CAPS = 28,
  DXGKQAITYPE_WDDMDEVICECAPS = 29,
  DXGKQAITYPE_GPUPCAPS = 30,
  DXGKQAITYPE_QUERYTARGETGAMMACAPS = 31,
  DXGKQAITYPE_SCANOUT_CAPS = 33,
  DXGKQAITYPE_PHYSICAL_MEMORY_CAPS = 34,
  DXGKQAITYPE_IOMMU_CAPS = 35,
  DXGKQAITYPE_HARDWARERESERVEDRANGES2 = 36,
  DXGKQAITYPE_NATIVE_FENCE_CAPS = 37,
  DXGKQAITYPE_USERMODESUBMISSION_CAPS = 38,
  DXGKQAITYPE_DIRTYBITTRACKINGCAPS = 39,
  DXGKQAITYPE_DIRTYBITTRACKINGSEGMENTCAPS = 40,
  DXGKQAITYPE_SCATTER_RESERVE = 41,
  DXGKQAITYPE_QUERYPAGINGBUFFERINFO = 42,
  DXGKQAITYPE_QUERYSEGMENTCOUNT = 43,
  DXGKQAITYPE_QUERYSEGMENT5 = 44,
  DXGKQAITYPE_QUERYMMUCOUNT = 45,
  DXGKQAITYPE_QUERYMMUS = 46,
  DXGKQAITYPE_64BITONLYCAPS = 47,
  DXGKQAITYPE_PAGINGPROCESSGPUVASIZE = 48,
} DXGK_QUERYADAPTERINFOTYPE;

// DXGK_QUERYADAPTERINFOFLAGS and DXGKARG_QUERYADAPTERINFO, d3dkmddi.h.
typedef struct _DXGK_QUERYADAPTERINFOFLAGS {
  union {
    struct {
      UINT VirtualMachineData : 1;
      UINT SecureVirtualMachine : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_QUERYADAPTERINFOFLAGS;

typedef struct _DXGKARG_QUERYADAPTERINFO {
  DXGK_QUERYADAPTERINFOTYPE Type;
  VOID* pInputData;
  UINT InputDataSize;
  VOID* pOutputData;
  UINT OutputDataSize;
  DXGK_QUERYADAPTERINFOFLAGS Flags;
  HANDLE hKmdProcessHandle;
} DXGKARG_QUERYADAPTERINFO;

// DXGK_NODEMETADATA_FLAGS, DXGK_NODEMETADATA, DXGKARG_GETNODEMETADATA; d3dkmdt.h, d3dkmddi.h.
typedef struct _DXGK_NODEMETADATA_FLAGS {
  union {
    struct {
      UINT ContextSchedulingSupported : 1;     // 0x00000001
      UINT RingBufferFenceRelease : 1;         // 0x00000002
      UINT SupportTrackedWorkload : 1;         // 0x00000004
      UINT UserModeSubmission : 1;             // 0x00000008
      UINT SupportBuildTestCommandBuffer : 1;  // 0x00000010
      UINT Reserved : 11;
      UINT MaxInFlightHwQueueBuffers : 16;
    };
    UINT Value;
  };
} DXGK_NODEMETADATA_FLAGS;

// The published header packs this structure to single bytes: it has no tail padding.
#pragma pack(push, 1)
typedef struct _DXGK_NODEMETADATA {
  DXGK_ENGINE_TYPE EngineType;
  WCHAR FriendlyName[DXGK_MAX_METADATA_NAME_LENGTH];
  DXGK_NODEMETADATA_FLAGS Flags;
  BOOLEAN GpuMmuSupported;
  BOOLEAN IoMmuSupported;
} DXGK_NODEMETADATA;
#pragma pack(pop)
typedef DXGK_NODEMETADATA DXGKARG_GETNODEMETADATA;

// Answers one information type. PASSIVE_LEVEL, pageable, level 0; may overlap SetPowerState and
// QueryChildRelations.
typedef NTSTATUS APIENTRY DXGKDDI_QUERYADAPTERINFO(HANDLE hAdapter, CONST DXGKARG_QUERYADAPTERINFO* pQueryAdapterInfo);
typedef DXGKDDI_QUERYADAPTERINFO* PDXGKDDI_QUERYADAPTERINFO;

// Describes one node. PASSIVE_LEVEL.
typedef NTSTATUS APIENTRY DXGKDDI_GETNODEMETADATA(HANDLE hAdapter, UINT NodeOrdinalAndAdapterIndex,
                                                  DXGKARG_GETNODEMETADATA* pGetNodeMetadata);
typedef DXGKDDI_GETNODEMETADATA* PDXGKDDI_GETNODEMETADATA;
