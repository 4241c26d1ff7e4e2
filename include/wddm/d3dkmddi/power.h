// Power components that a driver describes and the notifications of runtime power management. Nothing here is powered down: the
// kernel asks for none of it. Part of d3dkmddi.h.
#pragma once

#include "d3dkmdt.h"

#define DXGK_MAX_F_STATES 8
#define DXGK_POWER_COMPONENT_NAME_SIZE 40
#define DXGK_MAX_POWER_COMPONENT_PROVIDERS 16

// DXGK_POWER_RUNTIME_STATE, d3dkmddi.h. Latency and residency count 100 ns.
typedef struct _DXGK_POWER_RUNTIME_STATE {
  ULONGLONG TransitionLatency;
  ULONGLONG ResidencyRequirement;
  ULONG NominalPower;
} DXGK_POWER_RUNTIME_STATE;

// DXGK_POWER_COMPONENT_MAPPING and its parts, d3dkmddi.h.
typedef enum _DXGK_POWER_COMPONENT_TYPE WDDM_ENUM {
  DXGK_POWER_COMPONENT_ENGINE = 0,
  DXGK_POWER_COMPONENT_MONITOR = 1,
  DXGK_POWER_COMPONENT_MONITOR_REFRESH = 2,
  DXGK_POWER_COMPONENT_MEMORY = 3,
  DXGK_POWER_COMPONENT_MEMORY_REFRESH = 4,
  DXGK_POWER_COMPONENT_OTHER = 5,
  DXGK_POWER_COMPONENT_D3_TRANSITION = 6,
  DXGK_POWER_COMPONENT_SHARED = 7,
  DXGK_POWER_COMPONENT_MAX = 8,
} DXGK_POWER_COMPONENT_TYPE;

typedef struct _DXGK_POWER_COMPONENT_MAPPING {
  DXGK_POWER_COMPONENT_TYPE ComponentType;
  union {
    struct {
      UINT NodeIndex;
    } EngineDesc;
    struct {
      UINT VidPnSourceID;
    } MonitorRefreshDesc;
    struct {
      UINT VidPnTargetID;
    } MonitorDesc;
    struct {
      UINT SegmentID;
    } MemoryDesc;
    struct {
      union {
        struct {
          WORD SharedTypeFlag;
          WORD DriverCustomValueSet;
        };
        UINT SharedType;
      };
    } SharedDesc;
  };
} DXGK_POWER_COMPONENT_MAPPING;

// DXGK_POWER_COMPONENT_FLAGS and DXGK_POWER_RUNTIME_COMPONENT, d3dkmddi.h: the answer to DXGKQAITYPE_POWERCOMPONENTINFO.
typedef struct _DXGK_POWER_COMPONENT_FLAGS {
  union {
    struct {
      UINT Reserved0 : 1;
      UINT DriverCompletesFStateTransition : 1;  // 0x00000002
      UINT TransitionTo_F0_OnDx : 1;             // 0x00000004
      UINT NoDebounce : 1;                       // 0x00000008
      UINT ActiveInD3 : 1;                       // 0x00000010
      UINT Reserved : 27;
    };
    UINT Value;
  };
} DXGK_POWER_COMPONENT_FLAGS;

typedef struct _DXGK_POWER_RUNTIME_COMPONENT {
  ULONG StateCount;
  DXGK_POWER_RUNTIME_STATE States[DXGK_MAX_F_STATES];
  DXGK_POWER_COMPONENT_MAPPING ComponentMapping;
  DXGK_POWER_COMPONENT_FLAGS Flags;
  GUID ComponentGuid;
  UCHAR ComponentName[DXGK_POWER_COMPONENT_NAME_SIZE];
  ULONG ProviderCount;
  ULONG Providers[DXGK_MAX_POWER_COMPONENT_PROVIDERS];
} DXGK_POWER_RUNTIME_COMPONENT;

// Requests of the port driver to DxgkDdiPowerRuntimeControlRequest, d3dkmddi.h.
WDDM_DEFINE_GUID(GUID_DXGKDDI_POWER_MANAGEMENT_PREPARE_TO_START, 0xCBA549D4, 0xCF3A, 0x445C, 0x94, 0x68, 0x23, 0x83, 0xFD, 0x52,
                 0x31, 0x16);
WDDM_DEFINE_GUID(GUID_DXGKDDI_POWER_MANAGEMENT_STARTED, 0x6C929C1D, 0x7D76, 0x4538, 0x93, 0xAD, 0x44, 0x9D, 0xC9, 0xFD, 0xC2,
                 0x39);
WDDM_DEFINE_GUID(GUID_DXGKDDI_POWER_MANAGEMENT_STOPPED, 0x0A9D9621, 0xBC21, 0x4DD4, 0xA0, 0xFC, 0xD9, 0x76, 0xE4, 0x28, 0xF7,
                 0x38);
