// Dispatcher objects, spin locks, DPCs and timers. Part of wdm.h. Public page: wdm.h.
#pragma once

#include "wdm/list.h"

// DISPATCHER_HEADER, wdm.h. The driver host keeps its state for waits elsewhere, so memory with an object in it may just be
// freed.
typedef struct _DISPATCHER_HEADER {
  UCHAR Type;
  UCHAR Absolute;
  UCHAR Size;
  UCHAR Inserted;
  LONG SignalState;
  LIST_ENTRY WaitListHead;
} DISPATCHER_HEADER;

typedef enum _EVENT_TYPE WDDM_ENUM { NotificationEvent = 0, SynchronizationEvent = 1 } EVENT_TYPE;
typedef enum _TIMER_TYPE WDDM_ENUM { NotificationTimer = 0, SynchronizationTimer = 1 } TIMER_TYPE;
typedef enum _WAIT_TYPE WDDM_ENUM { WaitAll = 0, WaitAny = 1 } WAIT_TYPE;
typedef enum _MODE WDDM_ENUM { KernelMode = 0, UserMode = 1 } MODE;
typedef enum _KWAIT_REASON WDDM_ENUM { Executive = 0, FreePage = 1, PageIn = 2, Suspended = 5, UserRequest = 6 } KWAIT_REASON;

typedef struct _KEVENT {
  DISPATCHER_HEADER Header;
} KEVENT;
typedef KEVENT* PKEVENT;
typedef KEVENT* PRKEVENT;

typedef struct _KSEMAPHORE {
  DISPATCHER_HEADER Header;
  LONG Limit;
} KSEMAPHORE;
typedef KSEMAPHORE* PKSEMAPHORE;
typedef KSEMAPHORE* PRKSEMAPHORE;

typedef struct _KTHREAD KTHREAD;
typedef KTHREAD* PKTHREAD;
typedef KTHREAD* PRKTHREAD;
typedef KTHREAD* PETHREAD;

typedef struct _KMUTANT {
  DISPATCHER_HEADER Header;
  LIST_ENTRY MutantListEntry;
  PVOID OwnerThread;
  LONG Recursion;
} KMUTANT;
typedef KMUTANT KMUTEX;
typedef KMUTANT* PKMUTEX;
typedef KMUTANT* PRKMUTEX;

typedef struct _FAST_MUTEX {
  LONG Count;
  PVOID Owner;
  ULONG Contention;
  KEVENT Event;
  ULONG OldIrql;
} FAST_MUTEX;
typedef FAST_MUTEX* PFAST_MUTEX;

typedef struct _KDPC KDPC;
typedef VOID KDEFERRED_ROUTINE(KDPC* Dpc, PVOID DeferredContext, PVOID SystemArgument1, PVOID SystemArgument2);
typedef KDEFERRED_ROUTINE* PKDEFERRED_ROUTINE;
struct _KDPC {
  UCHAR Type;
  UCHAR Importance;
  USHORT Number;
  LIST_ENTRY DpcListEntry;
  PKDEFERRED_ROUTINE DeferredRoutine;
  PVOID DeferredContext;
  PVOID SystemArgument1;
  PVOID SystemArgument2;
  PVOID DpcData;  // Not NULL: queued.
};
typedef KDPC* PKDPC;
typedef KDPC* PRKDPC;
typedef enum _KDPC_IMPORTANCE WDDM_ENUM {
  LowImportance = 0,
  MediumImportance = 1,
  HighImportance = 2,
  MediumHighImportance = 3,
} KDPC_IMPORTANCE;

typedef struct _KTIMER {
  DISPATCHER_HEADER Header;
  ULARGE_INTEGER DueTime;  // Here: monotonic nanoseconds.
  LIST_ENTRY TimerListEntry;
  PKDPC Dpc;
  ULONG PeriodRest;  // Here: what the period has more than Period, in units of 100 ns.
  ULONG Period;      // In milliseconds; 0: once.
} KTIMER;
typedef KTIMER* PKTIMER;
typedef KTIMER* PRKTIMER;

typedef struct _KLOCK_QUEUE_HANDLE {
  PKSPIN_LOCK Lock;
  KIRQL OldIrql;
} KLOCK_QUEUE_HANDLE;
typedef KLOCK_QUEUE_HANDLE* PKLOCK_QUEUE_HANDLE;

#define HIGH_LEVEL 15
#define LOW_LEVEL 0
#define LOW_REALTIME_PRIORITY 16
#define HIGH_PRIORITY 31
#define MAXIMUM_WAIT_OBJECTS 64
#define THREAD_WAIT_OBJECTS 3

EXTERN_C KIRQL NTAPI KeGetCurrentIrql(VOID);
EXTERN_C VOID NTAPI KeRaiseIrql(KIRQL NewIrql, PKIRQL OldIrql);
EXTERN_C KIRQL NTAPI KeRaiseIrqlToDpcLevel(VOID);
EXTERN_C VOID NTAPI KeLowerIrql(KIRQL NewIrql);

// Events, semaphores, mutexes. Initialization: any IRQL; signals: IRQL <= DISPATCH_LEVEL.
EXTERN_C VOID NTAPI KeInitializeEvent(PRKEVENT Event, EVENT_TYPE Type, BOOLEAN State);
EXTERN_C LONG NTAPI KeSetEvent(PRKEVENT Event, KPRIORITY Increment, BOOLEAN Wait);
EXTERN_C LONG NTAPI KeResetEvent(PRKEVENT Event);
EXTERN_C VOID NTAPI KeClearEvent(PRKEVENT Event);
EXTERN_C LONG NTAPI KeReadStateEvent(PRKEVENT Event);
EXTERN_C VOID NTAPI KeInitializeSemaphore(PRKSEMAPHORE Semaphore, LONG Count, LONG Limit);
EXTERN_C LONG NTAPI KeReleaseSemaphore(PRKSEMAPHORE Semaphore, KPRIORITY Increment, LONG Adjustment, BOOLEAN Wait);
EXTERN_C VOID NTAPI KeInitializeMutex(PRKMUTEX Mutex, ULONG Level);
EXTERN_C LONG NTAPI KeReleaseMutex(PRKMUTEX Mutex, BOOLEAN Wait);
EXTERN_C VOID NTAPI ExInitializeFastMutex(PFAST_MUTEX FastMutex);
EXTERN_C VOID NTAPI ExAcquireFastMutex(PFAST_MUTEX FastMutex);  // IRQL <= APC_LEVEL; raises to APC_LEVEL.
EXTERN_C VOID NTAPI ExReleaseFastMutex(PFAST_MUTEX FastMutex);

// Timeout NULL waits for ever; negative is relative, in units of 100 ns. IRQL <= APC_LEVEL; DISPATCH_LEVEL for a Timeout of 0.
typedef struct _KWAIT_BLOCK {
  PVOID Unused[6];
} KWAIT_BLOCK;
typedef KWAIT_BLOCK* PKWAIT_BLOCK;
EXTERN_C NTSTATUS NTAPI KeWaitForSingleObject(PVOID Object, KWAIT_REASON WaitReason, KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
                                              PLARGE_INTEGER Timeout);
EXTERN_C NTSTATUS NTAPI KeWaitForMultipleObjects(ULONG Count, PVOID Object[], WAIT_TYPE WaitType, KWAIT_REASON WaitReason,
                                                 KPROCESSOR_MODE WaitMode, BOOLEAN Alertable, PLARGE_INTEGER Timeout,
                                                 PKWAIT_BLOCK WaitBlockArray);
#define KeWaitForMutexObject KeWaitForSingleObject
EXTERN_C NTSTATUS NTAPI KeDelayExecutionThread(KPROCESSOR_MODE WaitMode, BOOLEAN Alertable, PLARGE_INTEGER Interval);
EXTERN_C VOID NTAPI KeStallExecutionProcessor(ULONG MicroSeconds);

// Spin locks. IRQL <= DISPATCH_LEVEL; the holder runs at DISPATCH_LEVEL.
EXTERN_C VOID NTAPI KeInitializeSpinLock(PKSPIN_LOCK SpinLock);
EXTERN_C KIRQL NTAPI KeAcquireSpinLockRaiseToDpc(PKSPIN_LOCK SpinLock);
#define KeAcquireSpinLock(SpinLock, OldIrql) (*(OldIrql) = KeAcquireSpinLockRaiseToDpc(SpinLock))
EXTERN_C VOID NTAPI KeReleaseSpinLock(PKSPIN_LOCK SpinLock, KIRQL NewIrql);
EXTERN_C VOID NTAPI KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock);
EXTERN_C VOID NTAPI KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK SpinLock);
EXTERN_C BOOLEAN NTAPI KeTryToAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock);
EXTERN_C VOID NTAPI KeAcquireInStackQueuedSpinLock(PKSPIN_LOCK SpinLock, PKLOCK_QUEUE_HANDLE LockHandle);
EXTERN_C VOID NTAPI KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE LockHandle);

// DPCs run one after the other, at DISPATCH_LEVEL, on a thread of the driver host.
EXTERN_C VOID NTAPI KeInitializeDpc(PRKDPC Dpc, PKDEFERRED_ROUTINE DeferredRoutine, PVOID DeferredContext);
EXTERN_C BOOLEAN NTAPI KeInsertQueueDpc(PRKDPC Dpc, PVOID SystemArgument1, PVOID SystemArgument2);
EXTERN_C BOOLEAN NTAPI KeRemoveQueueDpc(PRKDPC Dpc);
EXTERN_C VOID NTAPI KeFlushQueuedDpcs(VOID);
EXTERN_C VOID NTAPI KeSetImportanceDpc(PRKDPC Dpc, KDPC_IMPORTANCE Importance);
EXTERN_C VOID NTAPI KeSetTargetProcessorDpc(PRKDPC Dpc, CCHAR Number);

EXTERN_C VOID NTAPI KeInitializeTimer(PKTIMER Timer);
EXTERN_C VOID NTAPI KeInitializeTimerEx(PKTIMER Timer, TIMER_TYPE Type);
EXTERN_C BOOLEAN NTAPI KeSetTimer(PKTIMER Timer, LARGE_INTEGER DueTime, PKDPC Dpc);
EXTERN_C BOOLEAN NTAPI KeSetTimerEx(PKTIMER Timer, LARGE_INTEGER DueTime, LONG Period, PKDPC Dpc);
EXTERN_C BOOLEAN NTAPI KeCancelTimer(PKTIMER Timer);
EXTERN_C BOOLEAN NTAPI KeReadStateTimer(PKTIMER Timer);
