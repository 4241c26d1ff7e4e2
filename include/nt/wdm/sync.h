// Reader-writer locks, guarded mutexes, rundown protection and remove locks. Part of wdm.h. Public pages: "ERESOURCE Structures",
// "Push locks", "Run-Down Protection", "Using Remove Locks". IRQL <= APC_LEVEL but where said.
#pragma once

#include "wdm/ke.h"

// ERESOURCE, wdm.h. The state is the driver host's.
typedef struct _ERESOURCE {
  LIST_ENTRY SharedOwners;
  PVOID OwnerThread;    // Of the exclusive owner.
  LONG ExclusiveCount;  // Times that it has the resource.
  LONG ExclusiveWaiters;
  ULONG Contention;
  ULONG Initialized;
  PVOID Unused[8];
} ERESOURCE;
typedef ERESOURCE* PERESOURCE;

EXTERN_C NTSTATUS NTAPI ExInitializeResourceLite(PERESOURCE Resource);
EXTERN_C NTSTATUS NTAPI ExDeleteResourceLite(PERESOURCE Resource);
// FALSE: Wait is FALSE, and the resource is not free.
EXTERN_C BOOLEAN NTAPI ExAcquireResourceExclusiveLite(PERESOURCE Resource, BOOLEAN Wait);
EXTERN_C BOOLEAN NTAPI ExAcquireResourceSharedLite(PERESOURCE Resource, BOOLEAN Wait);
EXTERN_C VOID NTAPI ExReleaseResourceLite(PERESOURCE Resource);  // IRQL <= DISPATCH_LEVEL, as the queries.
EXTERN_C VOID NTAPI ExConvertExclusiveToSharedLite(PERESOURCE Resource);
EXTERN_C BOOLEAN NTAPI ExIsResourceAcquiredExclusiveLite(PERESOURCE Resource);
EXTERN_C ULONG NTAPI ExIsResourceAcquiredSharedLite(PERESOURCE Resource);
#define ExIsResourceAcquiredLite(Resource) ExIsResourceAcquiredSharedLite(Resource)
EXTERN_C PVOID NTAPI ExEnterCriticalRegionAndAcquireResourceExclusive(PERESOURCE Resource);
EXTERN_C PVOID NTAPI ExEnterCriticalRegionAndAcquireResourceShared(PERESOURCE Resource);
EXTERN_C VOID NTAPI ExReleaseResourceAndLeaveCriticalRegion(PERESOURCE Resource);

typedef ULONG_PTR EX_PUSH_LOCK;
typedef EX_PUSH_LOCK* PEX_PUSH_LOCK;
#define EX_DEFAULT_PUSH_LOCK_FLAGS 0
EXTERN_C VOID NTAPI ExInitializePushLock(PEX_PUSH_LOCK PushLock);
EXTERN_C VOID NTAPI ExAcquirePushLockExclusiveEx(PEX_PUSH_LOCK PushLock, ULONG Flags);
EXTERN_C VOID NTAPI ExReleasePushLockExclusiveEx(PEX_PUSH_LOCK PushLock, ULONG Flags);
EXTERN_C VOID NTAPI ExAcquirePushLockSharedEx(PEX_PUSH_LOCK PushLock, ULONG Flags);
EXTERN_C VOID NTAPI ExReleasePushLockSharedEx(PEX_PUSH_LOCK PushLock, ULONG Flags);
#define ExAcquirePushLockExclusive(PushLock) ExAcquirePushLockExclusiveEx(PushLock, EX_DEFAULT_PUSH_LOCK_FLAGS)
#define ExReleasePushLockExclusive(PushLock) ExReleasePushLockExclusiveEx(PushLock, EX_DEFAULT_PUSH_LOCK_FLAGS)
#define ExAcquirePushLockShared(PushLock) ExAcquirePushLockSharedEx(PushLock, EX_DEFAULT_PUSH_LOCK_FLAGS)
#define ExReleasePushLockShared(PushLock) ExReleasePushLockSharedEx(PushLock, EX_DEFAULT_PUSH_LOCK_FLAGS)

typedef FAST_MUTEX KGUARDED_MUTEX;
typedef KGUARDED_MUTEX* PKGUARDED_MUTEX;
#define KeInitializeGuardedMutex(Mutex) ExInitializeFastMutex(Mutex)
#define KeAcquireGuardedMutex(Mutex) ExAcquireFastMutex(Mutex)
#define KeReleaseGuardedMutex(Mutex) ExReleaseFastMutex(Mutex)

typedef struct _EX_RUNDOWN_REF {
  union {
    ULONG_PTR Count;  // Twice the number of users; odd: the object goes.
    PVOID Ptr;
  };
} EX_RUNDOWN_REF;
typedef EX_RUNDOWN_REF* PEX_RUNDOWN_REF;
EXTERN_C VOID NTAPI ExInitializeRundownProtection(PEX_RUNDOWN_REF RunRef);
EXTERN_C VOID NTAPI ExReInitializeRundownProtection(PEX_RUNDOWN_REF RunRef);
EXTERN_C BOOLEAN NTAPI ExAcquireRundownProtection(PEX_RUNDOWN_REF RunRef);  // IRQL <= DISPATCH_LEVEL, as the release.
EXTERN_C VOID NTAPI ExReleaseRundownProtection(PEX_RUNDOWN_REF RunRef);
EXTERN_C VOID NTAPI ExWaitForRundownProtectionRelease(PEX_RUNDOWN_REF RunRef);
EXTERN_C VOID NTAPI ExRundownCompleted(PEX_RUNDOWN_REF RunRef);

typedef struct _IO_REMOVE_LOCK {
  BOOLEAN Removed;
  BOOLEAN Reserved[3];
  LONG IoCount;  // Users, and one for the device.
  KEVENT RemoveEvent;
} IO_REMOVE_LOCK;
typedef IO_REMOVE_LOCK* PIO_REMOVE_LOCK;
EXTERN_C VOID NTAPI IoInitializeRemoveLockEx(PIO_REMOVE_LOCK Lock, ULONG AllocateTag, ULONG MaxLockedMinutes, ULONG HighWatermark,
                                             ULONG RemlockSize);
// STATUS_DELETE_PENDING after IoReleaseRemoveLockAndWait. IRQL <= DISPATCH_LEVEL, as the release.
EXTERN_C NTSTATUS NTAPI IoAcquireRemoveLockEx(PIO_REMOVE_LOCK RemoveLock, PVOID Tag, CONST CHAR* File, ULONG Line,
                                              ULONG RemlockSize);
EXTERN_C VOID NTAPI IoReleaseRemoveLockEx(PIO_REMOVE_LOCK RemoveLock, PVOID Tag, ULONG RemlockSize);
EXTERN_C VOID NTAPI IoReleaseRemoveLockAndWaitEx(PIO_REMOVE_LOCK RemoveLock, PVOID Tag, ULONG RemlockSize);
#define IoInitializeRemoveLock(Lock, Tag, Minutes, Watermark) \
  IoInitializeRemoveLockEx(Lock, Tag, Minutes, Watermark, sizeof(IO_REMOVE_LOCK))
#define IoAcquireRemoveLock(RemoveLock, Tag) IoAcquireRemoveLockEx(RemoveLock, Tag, __FILE__, __LINE__, sizeof(IO_REMOVE_LOCK))
#define IoReleaseRemoveLock(RemoveLock, Tag) IoReleaseRemoveLockEx(RemoveLock, Tag, sizeof(IO_REMOVE_LOCK))
#define IoReleaseRemoveLockAndWait(RemoveLock, Tag) IoReleaseRemoveLockAndWaitEx(RemoveLock, Tag, sizeof(IO_REMOVE_LOCK))
