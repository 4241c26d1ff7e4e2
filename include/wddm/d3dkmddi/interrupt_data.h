// Contents of an interrupt report. Part of d3dkmddi.h.
#pragma once

#include "d3dkmddi/mpo.h"
#include "d3dkmddi/present.h"

// DXGK_INTERRUPT_TYPE, d3dkmddi.h. DMA_FAULTED is reserved for the system. MICACAST is the header's
// own spelling.
typedef enum _DXGK_INTERRUPT_TYPE WDDM_ENUM {
  DXGK_INTERRUPT_DMA_COMPLETED = 1,
  DXGK_INTERRUPT_DMA_PREEMPTED = 2,
  DXGK_INTERRUPT_CRTC_VSYNC = 3,
  DXGK_INTERRUPT_DMA_FAULTED = 4,
  DXGK_INTERRUPT_DISPLAYONLY_VSYNC = 5,
  DXGK_INTERRUPT_DISPLAYONLY_PRESENT_PROGRESS = 6,
  DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY = 7,
  DXGK_INTERRUPT_MICACAST_CHUNK_PROCESSING_COMPLETE = 8,
  DXGK_INTERRUPT_DMA_PAGE_FAULTED = 9,
  DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2 = 10,
  DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED = 11,
  DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED = 12,
  DXGK_INTERRUPT_HWCONTEXTLIST_SWITCH_COMPLETED = 13,
  DXGK_INTERRUPT_PERIODIC_MONITORED_FENCE_SIGNALED = 14,
  DXGK_INTERRUPT_SCHEDULING_LOG_INTERRUPT = 15,
  DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT = 16,
  DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED = 17,
  DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3 = 18,
  DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED = 19,
  DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE = 20,
} DXGK_INTERRUPT_TYPE;

// DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS, d3dkmddi.h.
typedef struct _DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS {
  union {
    struct {
      UINT ValidPhysicalAdapterMask : 1;       // 0x00000001
      UINT HsyncFlipCompletion : 1;            // 0x00000002
      UINT EvaluateLegacyMonitoredFences : 1;  // 0x00000004
      UINT Reserved : 29;
    };
    UINT Value;
  };
} DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS;

// DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO and its later forms, d3dkmddi.h.
typedef struct _DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO {
  DWORD LayerIndex;
  BOOL Enabled;
  PHYSICAL_ADDRESS PhysicalAddress;
  DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES PlaneAttributes;
} DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO;

typedef struct _DXGKCB_NOTIFY_MPO_VSYNC_FLAGS {
  union {
    struct {
      UINT PostPresentNeeded : 1;  // 0x00000001
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGKCB_NOTIFY_MPO_VSYNC_FLAGS;

typedef struct _DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2 {
  DWORD LayerIndex;
  ULONGLONG PresentId;
  DXGKCB_NOTIFY_MPO_VSYNC_FLAGS Flags;
} DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2;

typedef struct _DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO3 {
  UINT LayerIndex;
  UINT FirstFreeFlipQueueLogEntryIndex;
} DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO3;

// DXGK_MIRACAST_CHUNK_INFO, d3dkmddi.h.
typedef union _DXGK_MIRACAST_CHUNK_ID {
  struct {
    UINT64 FrameNumber : 40;
    UINT64 PartNumber : 24;
  };
  UINT64 Value;
} DXGK_MIRACAST_CHUNK_ID;

typedef enum _DXGK_MIRACAST_CHUNK_TYPE WDDM_ENUM {
  DXGK_MIRACAST_CHUNK_TYPE_UNKNOWN = 0,
  DXGK_MIRACAST_CHUNK_TYPE_COLOR_CONVERT_COMPLETE = 1,
  DXGK_MIRACAST_CHUNK_TYPE_ENCODE_COMPLETE = 2,
  DXGK_MIRACAST_CHUNK_TYPE_FRAME_START = 3,
  DXGK_MIRACAST_CHUNK_TYPE_FRAME_DROPPED = 4,
  DXGK_MIRACAST_CHUNK_TYPE_ENCODE_DRIVER_DEFINED_1 = (int)0x80000000,
  DXGK_MIRACAST_CHUNK_TYPE_ENCODE_DRIVER_DEFINED_2 = (int)0x80000001,
} DXGK_MIRACAST_CHUNK_TYPE;

typedef struct _DXGK_MIRACAST_CHUNK_INFO {
  DXGK_MIRACAST_CHUNK_TYPE ChunkType;
  DXGK_MIRACAST_CHUNK_ID ChunkId;
  UINT ProcessingTime;
  UINT EncodeRate;
} DXGK_MIRACAST_CHUNK_INFO;

// DXGK_ENGINE_STATE, d3dkmddi.h; the page states the order, not the values.
typedef enum _DXGK_ENGINE_STATE WDDM_ENUM {
  DXGK_ENGINE_STATE_ACTIVE = 0,
  DXGK_ENGINE_STATE_TRANSITION_TO_F1 = 1,
  DXGK_ENGINE_STATE_HUNG = 2,
} DXGK_ENGINE_STATE;

// DXGKARGCB_NOTIFY_INTERRUPT_DATA, d3dkmddi.h. InterruptType chooses the variant.
typedef struct _DXGKARGCB_NOTIFY_INTERRUPT_DATA {
  DXGK_INTERRUPT_TYPE InterruptType;
  union {
    struct {
      UINT SubmissionFenceId;
      UINT NodeOrdinal;
      UINT EngineOrdinal;
    } DmaCompleted;
    struct {
      UINT PreemptionFenceId;
      UINT LastCompletedFenceId;
      UINT NodeOrdinal;
      UINT EngineOrdinal;
    } DmaPreempted;
    struct {
      UINT FaultedFenceId;
      NTSTATUS Status;
      UINT NodeOrdinal;
      UINT EngineOrdinal;
    } DmaFaulted;
    struct {
      D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
      PHYSICAL_ADDRESS PhysicalAddress;
      UINT PhysicalAdapterMask;
    } CrtcVsync;
    struct {
      D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
    } DisplayOnlyVsync;
    struct {
      D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
      UINT PhysicalAdapterMask;
      UINT MultiPlaneOverlayVsyncInfoCount;
      DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO* pMultiPlaneOverlayVsyncInfo;
    } CrtcVsyncWithMultiPlaneOverlay;
    DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS DisplayOnlyPresentProgress;
    struct {
      D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
      DXGK_MIRACAST_CHUNK_INFO ChunkInfo;
      PVOID pPrivateDriverData;
      UINT PrivateDataDriverSize;
      NTSTATUS Status;
    } MiracastEncodeChunkCompleted;
    struct {
      UINT FaultedFenceId;
      UINT64 FaultedPrimitiveAPISequenceNumber;
      DXGK_RENDER_PIPELINE_STAGE FaultedPipelineStage;
      UINT FaultedBindTableEntry;
      DXGK_PAGE_FAULT_FLAGS PageFaultFlags;
      D3DGPU_VIRTUAL_ADDRESS FaultedVirtualAddress;
      UINT NodeOrdinal;
      UINT EngineOrdinal;
      UINT PageTableLevel;
      DXGK_FAULT_ERROR_CODE FaultErrorCode;
      HANDLE FaultedProcessHandle;
    } DmaPageFaulted;
    struct {
      D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
      UINT PhysicalAdapterMask;
      UINT MultiPlaneOverlayVsyncInfoCount;
      DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2* pMultiPlaneOverlayVsyncInfo;
      ULONGLONG GpuFrequency;
      ULONGLONG GpuClockCounter;
    } CrtcVsyncWithMultiPlaneOverlay2;
    struct {
      UINT NodeOrdinal;
      UINT EngineOrdinal;
    } MonitoredFenceSignaled, SchedulingLogInterrupt, GpuEngineTimeout;
    struct {
      UINT NodeOrdinal;
      UINT EngineOrdinal;
      UINT64 ContextSwitchFence;
    } HwContextListSwitchCompleted;
    struct {
      UINT64 FaultedFenceId;
      D3DGPU_VIRTUAL_ADDRESS FaultedVirtualAddress;
      UINT64 FaultedPrimitiveAPISequenceNumber;
      union {
        HANDLE FaultedHwQueue;
        HANDLE FaultedHwContext;
        HANDLE FaultedProcessHandle;
      };
      UINT NodeOrdinal;
      UINT EngineOrdinal;
      DXGK_RENDER_PIPELINE_STAGE FaultedPipelineStage;
      UINT FaultedBindTableEntry;
      DXGK_PAGE_FAULT_FLAGS PageFaultFlags;
      UINT PageTableLevel;
      DXGK_FAULT_ERROR_CODE FaultErrorCode;
    } HwQueuePageFaulted;
    struct {
      D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
      UINT NotificationID;
    } PeriodicMonitoredFenceSignaled;
    struct {
      HANDLE hContext;
      UINT64 ContextSuspendFence;
    } SuspendContextCompleted;
    struct {
      D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
      UINT PhysicalAdapterMask;
      UINT MultiPlaneOverlayVsyncInfoCount;
      DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO3* pMultiPlaneOverlayVsyncInfo;
      ULONGLONG GpuFrequency;
      ULONGLONG GpuClockCounter;
    } CrtcVsyncWithMultiPlaneOverlay3;
    struct {
      UINT NodeOrdinal;
      UINT EngineOrdinal;
      UINT SignaledNativeFenceCount;
      HANDLE* pSignaledNativeFenceArray;
      HANDLE hHWQueue;
    } NativeFenceSignaled;
    struct {
      UINT NodeOrdinal;
      UINT EngineOrdinal;
      DXGK_ENGINE_STATE NewState;
    } EngineStateChange;
    struct {
      UINT Reserved[16];
    } Reserved;
  };
  DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS Flags;
} DXGKARGCB_NOTIFY_INTERRUPT_DATA;
