// Control and report of interrupts. Part of d3dkmddi.h.
#pragma once

#include "d3dkmddi/interrupt_data.h"

// Turns an interrupt type on or off. PASSIVE_LEVEL, pageable, level 2.
typedef NTSTATUS APIENTRY DXGKDDI_CONTROLINTERRUPT(HANDLE hAdapter, CONST DXGK_INTERRUPT_TYPE InterruptType,
                                                   BOOLEAN EnableInterrupt);
typedef DXGKDDI_CONTROLINTERRUPT* PDXGKDDI_CONTROLINTERRUPT;

// DXGKARG_CONTROLINTERRUPT2 and 3, d3dkmddi.h. InterruptType chooses the variant: CrtcVsyncState for
// vertical syncs, InterruptState otherwise. In both states 0 is on, the opposite of EnableInterrupt.
typedef enum _DXGK_INTERRUPT_STATE WDDM_ENUM {
  DXGK_INTERRUPT_ENABLE = 0,
  DXGK_INTERRUPT_DISABLE = 1,
} DXGK_INTERRUPT_STATE;

typedef enum _DXGK_CRTC_VSYNC_STATE WDDM_ENUM {
  DXGK_VSYNC_ENABLE = 0,
  DXGK_VSYNC_DISABLE_KEEP_PHASE = 1,
  DXGK_VSYNC_DISABLE_NO_PHASE = 2,
} DXGK_CRTC_VSYNC_STATE;

typedef struct _DXGKARG_CONTROLINTERRUPT2 {
  DXGK_INTERRUPT_TYPE InterruptType;
  union {
    DXGK_INTERRUPT_STATE InterruptState;
    DXGK_CRTC_VSYNC_STATE CrtcVsyncState;
  };
} DXGKARG_CONTROLINTERRUPT2;

typedef struct _DXGKARG_CONTROLINTERRUPT3 {
  DXGK_INTERRUPT_TYPE InterruptType;
  union {
    DXGK_INTERRUPT_STATE InterruptState;
    DXGK_CRTC_VSYNC_STATE CrtcVsyncState;
  };
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} DXGKARG_CONTROLINTERRUPT3;

// PASSIVE_LEVEL, level 2.
typedef NTSTATUS APIENTRY DXGKDDI_CONTROLINTERRUPT2(HANDLE hAdapter, CONST DXGKARG_CONTROLINTERRUPT2 InterruptControl);
typedef DXGKDDI_CONTROLINTERRUPT2* PDXGKDDI_CONTROLINTERRUPT2;

// Controls the vertical sync of each source separately. IRQL not stated; called at PASSIVE_LEVEL, level 2.
typedef NTSTATUS APIENTRY DXGKDDI_CONTROLINTERRUPT3(HANDLE hAdapter, CONST DXGKARG_CONTROLINTERRUPT3* InterruptControl);
typedef DXGKDDI_CONTROLINTERRUPT3* PDXGKDDI_CONTROLINTERRUPT3;

// Reports an interrupt. From the ISR at DIRQL, or through DxgkCbSynchronizeExecution; queue a DPC
// before leaving the ISR.
typedef VOID(APIENTRY* DXGKCB_NOTIFY_INTERRUPT)(HANDLE hAdapter, CONST DXGKARGCB_NOTIFY_INTERRUPT_DATA* pData);

// Lets the scheduler process the reported interrupts. DISPATCH_LEVEL, from the DPC.
typedef VOID(APIENTRY* DXGKCB_NOTIFY_DPC)(HANDLE hAdapter);
