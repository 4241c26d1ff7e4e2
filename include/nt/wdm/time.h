// Clocks and floating-point state. Part of wdm.h. Public page: wdm.h. Any IRQL.
#pragma once

#include "ntdef.h"

EXTERN_C LARGE_INTEGER NTAPI KeQueryPerformanceCounter(PLARGE_INTEGER PerformanceFrequency);
EXTERN_C ULONGLONG NTAPI KeQueryInterruptTime(VOID);                // In units of 100 ns since the start of the machine.
EXTERN_C VOID NTAPI KeQuerySystemTimePrecise(PLARGE_INTEGER Time);  // In units of 100 ns since the year 1601.
EXTERN_C VOID NTAPI KeQueryTickCount(PLARGE_INTEGER Count);
EXTERN_C ULONG NTAPI KeQueryTimeIncrement(VOID);  // Length of a tick in units of 100 ns.
#define KeQuerySystemTime(Time) KeQuerySystemTimePrecise(Time)

typedef struct _KFLOATING_SAVE {
  ULONG Dummy;
} KFLOATING_SAVE;
typedef KFLOATING_SAVE* PKFLOATING_SAVE;
// Threads keep their own floating-point state here.
FORCEINLINE NTSTATUS KeSaveFloatingPointState(PKFLOATING_SAVE FloatSave) {
  FloatSave->Dummy = 0;
  return STATUS_SUCCESS;
}
FORCEINLINE NTSTATUS KeRestoreFloatingPointState(PKFLOATING_SAVE FloatSave) {
  (void)FloatSave;
  return STATUS_SUCCESS;
}
FORCEINLINE BOOLEAN KeInvalidateAllCaches(VOID) { return TRUE; }
