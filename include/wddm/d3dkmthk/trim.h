// Notifications that a process should use less video memory; part of d3dkmthk.h. Public pages: "D3DKMT_TRIMNOTIFICATION structure
// (d3dkmthk.h)", "D3DDDI_TRIMRESIDENCYSET_FLAGS structure (d3dukmdt.h)".
#pragma once

#include "d3dukmdt.h"

typedef struct _D3DDDI_TRIMRESIDENCYSET_FLAGS {
  union {
    struct {
      UINT PeriodicTrim : 1;         // 0x00000001
      UINT RestartPeriodicTrim : 1;  // 0x00000002
      UINT TrimToBudget : 1;         // 0x00000004
      UINT Reserved : 29;
    };
    UINT Value;
  };
} D3DDDI_TRIMRESIDENCYSET_FLAGS;

typedef struct _D3DKMT_TRIMNOTIFICATION {
  VOID* Context;  // the registration's Context
  D3DDDI_TRIMRESIDENCYSET_FLAGS Flags;
  UINT64 NumBytesToTrim;  // valid if TrimToBudget is set
} D3DKMT_TRIMNOTIFICATION;

typedef VOID(APIENTRY* PFND3DKMT_TRIMNOTIFICATIONCALLBACK)(D3DKMT_TRIMNOTIFICATION* pTrimNotification);

typedef struct _D3DKMT_REGISTERTRIMNOTIFICATION {
  LUID AdapterLuid;
  D3DKMT_HANDLE hDevice;
  PFND3DKMT_TRIMNOTIFICATIONCALLBACK Callback;
  VOID* Context;
  VOID* Handle;  // written
} D3DKMT_REGISTERTRIMNOTIFICATION;

// Unregisters the Handle, or every registration of Callback if Handle is NULL.
typedef struct _D3DKMT_UNREGISTERTRIMNOTIFICATION {
  VOID* Handle;
  PFND3DKMT_TRIMNOTIFICATIONCALLBACK Callback;
} D3DKMT_UNREGISTERTRIMNOTIFICATION;

EXTERN_C NTSTATUS APIENTRY D3DKMTRegisterTrimNotification(D3DKMT_REGISTERTRIMNOTIFICATION* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTUnregisterTrimNotification(D3DKMT_UNREGISTERTRIMNOTIFICATION* pData);
