// Processors and their affinity, and address spaces, of which there is one. Part of wdm.h. Public page: wdm.h.
#pragma once

#include "wddm_resources.h"
#include "wdm/thread.h"

typedef struct _PROCESSOR_NUMBER {
  USHORT Group;
  UCHAR Number;
  UCHAR Reserved;
} PROCESSOR_NUMBER;
typedef PROCESSOR_NUMBER* PPROCESSOR_NUMBER;

typedef struct _GROUP_AFFINITY {
  KAFFINITY Mask;
  USHORT Group;
  USHORT Reserved[3];
} GROUP_AFFINITY;
typedef GROUP_AFFINITY* PGROUP_AFFINITY;

#define ALL_PROCESSOR_GROUPS 0xFFFF

// Processors beyond 64 are left out: all belong to group 0.
EXTERN_C ULONG NTAPI KeGetCurrentProcessorNumberEx(PPROCESSOR_NUMBER ProcNumber);
EXTERN_C ULONG NTAPI KeQueryActiveProcessorCountEx(USHORT GroupNumber);
EXTERN_C ULONG NTAPI KeQueryActiveProcessorCount(KAFFINITY* ActiveProcessors);
EXTERN_C ULONG NTAPI KeQueryMaximumProcessorCount(VOID);
EXTERN_C ULONG NTAPI KeQueryMaximumProcessorCountEx(USHORT GroupNumber);
EXTERN_C KAFFINITY NTAPI KeQueryActiveProcessors(VOID);
EXTERN_C KAFFINITY NTAPI KeQueryGroupAffinity(USHORT GroupNumber);
#define KeGetCurrentProcessorNumber() KeGetCurrentProcessorNumberEx(0)
#define KeGetCurrentProcessorIndex() KeGetCurrentProcessorNumberEx(0)
#define KeNumberProcessors ((CCHAR)KeQueryActiveProcessorCountEx(0))

// IRQL <= APC_LEVEL. KeSetSystemAffinityThreadEx returns the affinity before; 0: the first call.
EXTERN_C VOID NTAPI KeSetSystemAffinityThread(KAFFINITY Affinity);
EXTERN_C VOID NTAPI KeRevertToUserAffinityThread(VOID);
EXTERN_C KAFFINITY NTAPI KeSetSystemAffinityThreadEx(KAFFINITY Affinity);
EXTERN_C VOID NTAPI KeRevertToUserAffinityThreadEx(KAFFINITY Affinity);
EXTERN_C VOID NTAPI KeSetSystemGroupAffinityThread(PGROUP_AFFINITY Affinity, PGROUP_AFFINITY PreviousAffinity);
EXTERN_C VOID NTAPI KeRevertToUserGroupAffinityThread(PGROUP_AFFINITY PreviousAffinity);

typedef PEPROCESS PRKPROCESS;
typedef struct _KAPC_STATE {
  LIST_ENTRY ApcListHead[2];
  PRKPROCESS Process;
  UCHAR Flags[8];
} KAPC_STATE;
typedef KAPC_STATE* PKAPC_STATE;
typedef KAPC_STATE* PRKAPC_STATE;

// A thread stays in the one address space that all processes have here. IRQL <= DISPATCH_LEVEL; KeAttachProcess: <= APC_LEVEL.
EXTERN_C VOID NTAPI KeStackAttachProcess(PRKPROCESS Process, PRKAPC_STATE ApcState);
EXTERN_C VOID NTAPI KeUnstackDetachProcess(PRKAPC_STATE ApcState);
EXTERN_C VOID NTAPI KeAttachProcess(PRKPROCESS Process);
EXTERN_C VOID NTAPI KeDetachProcess(VOID);
EXTERN_C HANDLE NTAPI PsGetProcessId(PEPROCESS Process);
EXTERN_C KPROCESSOR_MODE NTAPI ExGetPreviousMode(VOID);
