// Timers that call a routine, with periods in units of 100 ns. Part of wdm.h. Public page: "ExXxxTimer Routines and EX_TIMER
// Objects".
#pragma once

#include "wdm/ke.h"

// A wait for it is a wait for its expiry.
typedef struct _EX_TIMER EX_TIMER;
typedef EX_TIMER* PEX_TIMER;

// Called at DISPATCH_LEVEL, one call after the other.
typedef VOID NTAPI EXT_CALLBACK(PEX_TIMER Timer, PVOID Context);
typedef EXT_CALLBACK* PEXT_CALLBACK;
typedef VOID NTAPI EXT_DELETE_CALLBACK(PVOID Context);
typedef EXT_DELETE_CALLBACK* PEXT_DELETE_CALLBACK;

// Timers here are as exact as Linux's, with each of the attributes and tolerances.
#define EX_TIMER_HIGH_RESOLUTION 4
#define EX_TIMER_NO_WAKE 8
#define EX_TIMER_NOTIFICATION ((ULONG)(1UL << 31))
#define EX_TIMER_UNLIMITED_TOLERANCE ((LONGLONG)-1)

typedef struct _EXT_SET_PARAMETERS_V0 {
  ULONG Version;
  ULONG Reserved;
  LONGLONG NoWakeTolerance;
} EXT_SET_PARAMETERS;
typedef EXT_SET_PARAMETERS* PEXT_SET_PARAMETERS;
typedef struct _EXT_DELETE_PARAMETERS {
  ULONG Version;
  ULONG Reserved;
  PEXT_DELETE_CALLBACK DeleteCallback;
  PVOID DeleteContext;
} EXT_DELETE_PARAMETERS;
typedef EXT_DELETE_PARAMETERS* PEXT_DELETE_PARAMETERS;
typedef PVOID PEXT_CANCEL_PARAMETERS;

FORCEINLINE VOID ExInitializeSetTimerParameters(PEXT_SET_PARAMETERS Parameters) {
  Parameters->Version = Parameters->Reserved = 0;
  Parameters->NoWakeTolerance = 0;
}
FORCEINLINE VOID ExInitializeDeleteTimerParameters(PEXT_DELETE_PARAMETERS Parameters) {
  Parameters->Version = Parameters->Reserved = 0;
  Parameters->DeleteCallback = NULL;
  Parameters->DeleteContext = NULL;
}

// IRQL <= DISPATCH_LEVEL. NULL without memory. Callback NULL: waits alone.
EXTERN_C PEX_TIMER NTAPI ExAllocateTimer(PEXT_CALLBACK Callback, PVOID CallbackContext, ULONG Attributes);
// In units of 100 ns: DueTime as of KeSetTimer; Period 0: once. A period below half a millisecond, Windows' shortest, is that.
// TRUE: the timer was set before. IRQL <= DISPATCH_LEVEL.
EXTERN_C BOOLEAN NTAPI ExSetTimer(PEX_TIMER Timer, LONGLONG DueTime, LONGLONG Period, PEXT_SET_PARAMETERS Parameters);
// TRUE: the timer was set. IRQL <= DISPATCH_LEVEL.
EXTERN_C BOOLEAN NTAPI ExCancelTimer(PEX_TIMER Timer, PEXT_CANCEL_PARAMETERS Parameters);
// The timer is cancelled, whatever Cancel says. Wait: returns when no callback runs or will run; not in a DPC routine; IRQL
// <= APC_LEVEL. Else IRQL <= DISPATCH_LEVEL, and DeleteCallback tells the end. TRUE: the timer was set.
EXTERN_C BOOLEAN NTAPI ExDeleteTimer(PEX_TIMER Timer, BOOLEAN Cancel, BOOLEAN Wait, PEXT_DELETE_PARAMETERS Parameters);
