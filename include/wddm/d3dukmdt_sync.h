// Contexts and synchronization objects; the scheduling part of d3dukmdt.h. Include d3dukmdt.h.
#pragma once

#include "d3dukmdt.h"

// D3DDDI_CREATECONTEXTFLAGS, d3dukmdt.h.
typedef struct _D3DDDI_CREATECONTEXTFLAGS {
  union {
    struct {
      UINT NullRendering : 1;        // 0x00000001
      UINT InitialData : 1;          // 0x00000002
      UINT DisableGpuTimeout : 1;    // 0x00000004
      UINT SynchronizationOnly : 1;  // 0x00000008
      UINT HwQueueSupported : 1;     // 0x00000010
      UINT NoKmdAccess : 1;          // 0x00000020
      UINT TestContext : 1;          // 0x00000040
      UINT Reserved : 25;
    };
    UINT Value;
  };
} D3DDDI_CREATECONTEXTFLAGS;

// D3DDDI_SYNCHRONIZATIONOBJECT_TYPE, d3dukmdt.h.
typedef enum _D3DDDI_SYNCHRONIZATIONOBJECT_TYPE WDDM_ENUM {
  D3DDDI_SYNCHRONIZATION_MUTEX = 1,
  D3DDDI_SEMAPHORE = 2,
  D3DDDI_FENCE = 3,
  D3DDDI_CPU_NOTIFICATION = 4,
  D3DDDI_MONITORED_FENCE = 5,
  D3DDDI_PERIODIC_MONITORED_FENCE = 6,
  D3DDDI_NATIVE_FENCE = 7,
  D3DDDI_SYNCHRONIZATION_TYPE_LIMIT = 8,
} D3DDDI_SYNCHRONIZATIONOBJECT_TYPE;

// D3DDDI_NATIVEFENCE_TYPE, d3dukmdt.h.
typedef enum _D3DDDI_NATIVEFENCE_TYPE WDDM_ENUM {
  D3DDDI_NATIVEFENCE_TYPE_DEFAULT = 0,
  D3DDDI_NATIVEFENCE_TYPE_INTRA_GPU = 1,
} D3DDDI_NATIVEFENCE_TYPE;

// D3DDDI_SYNCHRONIZATIONOBJECTINFO, d3dukmdt.h: for mutexes and semaphores. A mutex is owned at first where InitialState is TRUE.
typedef struct _D3DDDI_SYNCHRONIZATIONOBJECTINFO {
  D3DDDI_SYNCHRONIZATIONOBJECT_TYPE Type;
  union {
    struct {
      BOOL InitialState;
    } SynchronizationMutex;
    struct {
      UINT MaxCount;
      UINT InitialCount;
    } Semaphore;
    struct {
      UINT Reserved[16];
    } Reserved;
  };
} D3DDDI_SYNCHRONIZATIONOBJECTINFO;

// D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS, d3dukmdt.h.
typedef struct _D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS {
  union {
    struct {
      UINT Shared : 1;                         // 0x00000001
      UINT NtSecuritySharing : 1;              // 0x00000002
      UINT CrossAdapter : 1;                   // 0x00000004
      UINT TopOfPipeline : 1;                  // 0x00000008
      UINT NoSignal : 1;                       // 0x00000010
      UINT NoWait : 1;                         // 0x00000020
      UINT NoSignalMaxValueOnTdr : 1;          // 0x00000040
      UINT NoGPUAccess : 1;                    // 0x00000080
      UINT SignalByKmd : 1;                    // 0x00000100
      UINT Unused : 1;                         // 0x00000200
      UINT UnwaitCpuWaitersOnlyOnDestroy : 1;  // 0x00000400
      UINT Reserved : 20;
      UINT Reserved0 : 1;
    };
    UINT Value;
  };
} D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;

// D3DDDI_SYNCHRONIZATIONOBJECTINFO2, d3dukmdt.h. The variant is chosen by Type. Event is an eventfd cast to HANDLE. SharedHandle
// is a global handle, returned for Shared without NtSecuritySharing.
typedef struct _D3DDDI_SYNCHRONIZATIONOBJECTINFO2 {
  D3DDDI_SYNCHRONIZATIONOBJECT_TYPE Type;
  D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS Flags;
  union {
    struct {
      BOOL InitialState;
    } SynchronizationMutex;
    struct {
      UINT MaxCount;
      UINT InitialCount;
    } Semaphore;
    struct {
      UINT64 FenceValue;
    } Fence;
    struct {
      HANDLE Event;
    } CPUNotification;
    struct {
      UINT64 InitialFenceValue;
      VOID* FenceValueCPUVirtualAddress;
      D3DGPU_VIRTUAL_ADDRESS FenceValueGPUVirtualAddress;
      UINT EngineAffinity;
    } MonitoredFence;
    struct {
      D3DKMT_HANDLE hAdapter;
      D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
      UINT64 Time;
      VOID* FenceValueCPUVirtualAddress;
      D3DGPU_VIRTUAL_ADDRESS FenceValueGPUVirtualAddress;
      UINT EngineAffinity;
    } PeriodicMonitoredFence;
    struct {
      UINT64 Reserved[8];
    } Reserved;
  };
  D3DKMT_HANDLE SharedHandle;
} D3DDDI_SYNCHRONIZATIONOBJECTINFO2;

// D3DDDICB_SIGNALFLAGS, d3dukmdt.h.
typedef struct _D3DDDICB_SIGNALFLAGS {
  union {
    struct {
      UINT SignalAtSubmission : 1;  // 0x00000001
      UINT EnqueueCpuEvent : 1;     // 0x00000002
      UINT AllowFenceRewind : 1;    // 0x00000004
      UINT Reserved : 28;
      UINT DXGK_SIGNAL_FLAG_INTERNAL0 : 1;
    };
    UINT Value;
  };
} D3DDDICB_SIGNALFLAGS;

// D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS, d3dukmdt.h.
typedef struct _D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS {
  union {
    struct {
      UINT WaitAny : 1;  // 0x00000001
      UINT Reserved : 31;
    };
    UINT Value;
  };
} D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS;
