// ERESOURCE and push locks: one writer or many readers. See wdm/sync.h.
#include <ntddk.h>

#include <cstdlib>

#include "drivers/host/dispatch.h"
#include "drivers/host/kernel.h"
#include "drivers/host/lock.h"

using namespace tandem::drivers::host;

namespace {

// One for all: the states of locks lie in the driver's memory, which may be freed without a call.
constinit Mutex mutex;
constinit Condition changed;

constexpr ULONG kInitialized = 0x52455352;
constexpr ULONG_PTR kExclusive = 1;  // Of a push lock, in which each reader counts 2.
constexpr ULONG_PTR kReader = 2;

struct SharedOwner {
  LIST_ENTRY link;
  PVOID thread;
  ULONG count;
};

// The caller holds the mutex, here and below.
SharedOwner* FindOwner(PERESOURCE resource, PVOID thread) {
  for (LIST_ENTRY* link = resource->SharedOwners.Flink; link != &resource->SharedOwners; link = link->Flink) {
    SharedOwner* const owner = CONTAINING_RECORD(link, SharedOwner, link);
    if (owner->thread == thread) return owner;
  }
  return nullptr;
}

void AddOwner(PERESOURCE resource, PVOID thread, ULONG count) {
  SharedOwner* owner = FindOwner(resource, thread);
  if (owner == nullptr) {
    owner = static_cast<SharedOwner*>(std::calloc(1, sizeof(SharedOwner)));
    if (owner == nullptr) std::abort();
    owner->thread = thread;
    InsertTailList(&resource->SharedOwners, &owner->link);
  }
  owner->count += count;
}

bool MayWrite(PERESOURCE resource, PVOID thread) {
  if (resource->OwnerThread != nullptr) return resource->OwnerThread == thread;
  return IsListEmpty(&resource->SharedOwners);
}

// A waiting writer comes before new readers.
bool MayRead(PERESOURCE resource, PVOID thread) {
  if (resource->OwnerThread != nullptr) return resource->OwnerThread == thread;
  return resource->ExclusiveWaiters == 0 || FindOwner(resource, thread) != nullptr;
}

bool IsInitialized(PERESOURCE resource, const char* function) {
  if (resource->Initialized == kInitialized) return true;
  Report(Rule::kUninitialized, "%s: the resource was not initialized.", function);
  return false;
}

void CheckAcquire(const char* function, bool wait) {
  CheckIrql(function, APC_LEVEL);
  CheckWait(function, wait);
}

void AcquirePush(PEX_PUSH_LOCK lock, bool exclusive, const char* function) {
  CheckAcquire(function, true);
  const Locked locked(mutex);
  while (exclusive ? *lock != 0 : (*lock & kExclusive) != 0) changed.WaitUntil(mutex, kForever);
  *lock += exclusive ? kExclusive : kReader;
}

void ReleasePush(PEX_PUSH_LOCK lock, ULONG_PTR amount, const char* function) {
  CheckIrql(function, APC_LEVEL);
  const Locked locked(mutex);
  if (amount == kExclusive ? *lock != kExclusive : (*lock & kExclusive) != 0 || *lock == 0) {
    Report(Rule::kMutexOwner, "%s: the push lock is not held so.", function);
    return;
  }
  *lock -= amount;
  changed.Wake();
}

}  // namespace

NTSTATUS NTAPI ExInitializeResourceLite(PERESOURCE Resource) {
  CheckIrql("ExInitializeResourceLite", DISPATCH_LEVEL);
  *Resource = ERESOURCE{};
  InitializeListHead(&Resource->SharedOwners);
  Resource->Initialized = kInitialized;
  return STATUS_SUCCESS;
}

NTSTATUS NTAPI ExDeleteResourceLite(PERESOURCE Resource) {
  CheckIrql("ExDeleteResourceLite", DISPATCH_LEVEL);
  if (!IsInitialized(Resource, "ExDeleteResourceLite")) return STATUS_INVALID_PARAMETER;
  const Locked locked(mutex);
  while (!IsListEmpty(&Resource->SharedOwners)) {
    std::free(CONTAINING_RECORD(RemoveHeadList(&Resource->SharedOwners), SharedOwner, link));
  }
  Resource->Initialized = 0;
  return STATUS_SUCCESS;
}

BOOLEAN NTAPI ExAcquireResourceExclusiveLite(PERESOURCE Resource, BOOLEAN Wait) {
  CheckAcquire("ExAcquireResourceExclusiveLite", Wait != FALSE);
  if (!IsInitialized(Resource, "ExAcquireResourceExclusiveLite")) return FALSE;
  PVOID const self = KeGetCurrentThread();
  const Locked locked(mutex);
  if (!MayWrite(Resource, self)) {
    if (Wait == FALSE) return FALSE;
    ++Resource->Contention;
    ++Resource->ExclusiveWaiters;
    while (!MayWrite(Resource, self)) changed.WaitUntil(mutex, kForever);
    --Resource->ExclusiveWaiters;
  }
  Resource->OwnerThread = self;
  ++Resource->ExclusiveCount;
  return TRUE;
}

// The exclusive owner gets the resource once more, exclusively.
BOOLEAN NTAPI ExAcquireResourceSharedLite(PERESOURCE Resource, BOOLEAN Wait) {
  CheckAcquire("ExAcquireResourceSharedLite", Wait != FALSE);
  if (!IsInitialized(Resource, "ExAcquireResourceSharedLite")) return FALSE;
  PVOID const self = KeGetCurrentThread();
  const Locked locked(mutex);
  if (!MayRead(Resource, self)) {
    if (Wait == FALSE) return FALSE;
    ++Resource->Contention;
    while (!MayRead(Resource, self)) changed.WaitUntil(mutex, kForever);
  }
  if (Resource->OwnerThread == self) {
    ++Resource->ExclusiveCount;
  } else {
    AddOwner(Resource, self, 1);
  }
  return TRUE;
}

VOID NTAPI ExReleaseResourceLite(PERESOURCE Resource) {
  CheckIrql("ExReleaseResourceLite", DISPATCH_LEVEL);
  if (!IsInitialized(Resource, "ExReleaseResourceLite")) return;
  PVOID const self = KeGetCurrentThread();
  const Locked locked(mutex);
  SharedOwner* const owner = FindOwner(Resource, self);
  if (Resource->OwnerThread == self) {
    if (--Resource->ExclusiveCount == 0) Resource->OwnerThread = nullptr;
  } else if (owner != nullptr) {
    if (--owner->count == 0) {
      RemoveEntryList(&owner->link);
      std::free(owner);
    }
  } else {
    Report(Rule::kMutexOwner, "ExReleaseResourceLite: the thread does not have the resource.");
    return;
  }
  changed.Wake();
}

VOID NTAPI ExConvertExclusiveToSharedLite(PERESOURCE Resource) {
  CheckIrql("ExConvertExclusiveToSharedLite", DISPATCH_LEVEL);
  PVOID const self = KeGetCurrentThread();
  const Locked locked(mutex);
  if (Resource->OwnerThread != self) {
    Report(Rule::kMutexOwner, "ExConvertExclusiveToSharedLite: the thread does not have the resource exclusively.");
    return;
  }
  AddOwner(Resource, self, static_cast<ULONG>(Resource->ExclusiveCount));
  Resource->OwnerThread = nullptr;
  Resource->ExclusiveCount = 0;
  changed.Wake();
}

BOOLEAN NTAPI ExIsResourceAcquiredExclusiveLite(PERESOURCE Resource) {
  CheckIrql("ExIsResourceAcquiredExclusiveLite", DISPATCH_LEVEL);
  PVOID const self = KeGetCurrentThread();
  const Locked locked(mutex);
  return Resource->OwnerThread == self ? TRUE : FALSE;
}

ULONG NTAPI ExIsResourceAcquiredSharedLite(PERESOURCE Resource) {
  CheckIrql("ExIsResourceAcquiredSharedLite", DISPATCH_LEVEL);
  PVOID const self = KeGetCurrentThread();
  const Locked locked(mutex);
  if (Resource->OwnerThread == self) return static_cast<ULONG>(Resource->ExclusiveCount);
  const SharedOwner* const owner = FindOwner(Resource, self);
  return owner == nullptr ? 0 : owner->count;
}

PVOID NTAPI ExEnterCriticalRegionAndAcquireResourceExclusive(PERESOURCE Resource) {
  KeEnterCriticalRegion();
  ExAcquireResourceExclusiveLite(Resource, TRUE);
  return nullptr;
}

PVOID NTAPI ExEnterCriticalRegionAndAcquireResourceShared(PERESOURCE Resource) {
  KeEnterCriticalRegion();
  ExAcquireResourceSharedLite(Resource, TRUE);
  return nullptr;
}

VOID NTAPI ExReleaseResourceAndLeaveCriticalRegion(PERESOURCE Resource) {
  ExReleaseResourceLite(Resource);
  KeLeaveCriticalRegion();
}

VOID NTAPI ExInitializePushLock(PEX_PUSH_LOCK PushLock) { *PushLock = 0; }

VOID NTAPI ExAcquirePushLockExclusiveEx(PEX_PUSH_LOCK PushLock, ULONG /*Flags*/) {
  AcquirePush(PushLock, true, "ExAcquirePushLockExclusiveEx");
}

VOID NTAPI ExReleasePushLockExclusiveEx(PEX_PUSH_LOCK PushLock, ULONG /*Flags*/) {
  ReleasePush(PushLock, kExclusive, "ExReleasePushLockExclusiveEx");
}

VOID NTAPI ExAcquirePushLockSharedEx(PEX_PUSH_LOCK PushLock, ULONG /*Flags*/) {
  AcquirePush(PushLock, false, "ExAcquirePushLockSharedEx");
}

VOID NTAPI ExReleasePushLockSharedEx(PEX_PUSH_LOCK PushLock, ULONG /*Flags*/) {
  ReleasePush(PushLock, kReader, "ExReleasePushLockSharedEx");
}
