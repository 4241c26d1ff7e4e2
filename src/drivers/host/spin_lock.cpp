#include "drivers/host/spin_lock.h"

#include <ntddk.h>

#include <cerrno>
#include <cstdlib>

#include "drivers/host/kernel.h"
#include "drivers/host/leftovers.h"
#include "drivers/host/lock.h"

namespace tandem::drivers::host {
namespace {

// Kept until the driver is unloaded: memory with a spin lock in it is freed without a call.
struct HostLock {
  HostLock* next;
  const void* word;  // The KSPIN_LOCK that it was made for.
  pthread_mutex_t mutex;
};

constinit Mutex locks_mutex;
constinit HostLock* locks = nullptr;
thread_local int held = 0;

HostLock* Create(PKSPIN_LOCK word) {
  auto* const lock = static_cast<HostLock*>(std::calloc(1, sizeof(HostLock)));
  if (lock == nullptr) std::abort();
  lock->word = word;
  // A thread that acquires its own lock gets an error, where Windows would hang.
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&lock->mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  lock->next = locks;
  locks = lock;
  return lock;
}

HostLock* LockOf(PKSPIN_LOCK word) {
  if (const KSPIN_LOCK value = __atomic_load_n(word, __ATOMIC_ACQUIRE); value != 0) return reinterpret_cast<HostLock*>(value);
  // Zeroed memory is a free lock on Windows, too.
  const Locked locked(locks_mutex);
  if (*word == 0) __atomic_store_n(word, reinterpret_cast<KSPIN_LOCK>(Create(word)), __ATOMIC_RELEASE);
  return reinterpret_cast<HostLock*>(*word);
}

bool Acquire(PKSPIN_LOCK word, bool wait) {
  HostLock* const lock = LockOf(word);
  const int error = wait ? pthread_mutex_lock(&lock->mutex) : pthread_mutex_trylock(&lock->mutex);
  if (error == EBUSY) return false;
  if (error == EDEADLK) {
    Report(Rule::kSpinLock, "A thread acquires a spin lock that it holds; Windows hangs here.");
  } else {
    ++held;
  }
  return true;
}

void Release(PKSPIN_LOCK word) {
  if (pthread_mutex_unlock(&LockOf(word)->mutex) != 0) {
    Report(Rule::kSpinLock, "A thread releases a spin lock that it does not hold.");
    return;
  }
  if (held > 0) --held;
}

void CheckAtDpcLevel(const char* function) {
  if (const KIRQL level = CurrentIrql(); level < DISPATCH_LEVEL) {
    Report(Rule::kIrql, "%s is called at %s; it needs DISPATCH_LEVEL.", function, IrqlName(level));
  }
}

}  // namespace

int HeldSpinLocks() { return held; }

void EndSpinLocks() {
  const Locked locked(locks_mutex);
  while (locks != nullptr) {
    HostLock* const lock = locks;
    locks = lock->next;
    pthread_mutex_destroy(&lock->mutex);
    std::free(lock);
  }
}

}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

VOID NTAPI KeInitializeSpinLock(PKSPIN_LOCK SpinLock) {
  const Locked locked(locks_mutex);
  // A lock at this address lay in memory that is used anew.
  for (HostLock* lock = locks; lock != nullptr; lock = lock->next) {
    if (lock->word != SpinLock) continue;
    __atomic_store_n(SpinLock, reinterpret_cast<KSPIN_LOCK>(lock), __ATOMIC_RELEASE);
    return;
  }
  __atomic_store_n(SpinLock, reinterpret_cast<KSPIN_LOCK>(Create(SpinLock)), __ATOMIC_RELEASE);
}

KIRQL NTAPI KeAcquireSpinLockRaiseToDpc(PKSPIN_LOCK SpinLock) {
  CheckIrql("KeAcquireSpinLock", DISPATCH_LEVEL);
  const KIRQL before = CurrentIrql();
  if (before < DISPATCH_LEVEL) SetIrql(DISPATCH_LEVEL);
  Acquire(SpinLock, true);
  return before;
}

VOID NTAPI KeReleaseSpinLock(PKSPIN_LOCK SpinLock, KIRQL NewIrql) {
  CheckAtDpcLevel("KeReleaseSpinLock");
  Release(SpinLock);
  SetIrql(NewIrql);
}

VOID NTAPI KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock) {
  CheckAtDpcLevel("KeAcquireSpinLockAtDpcLevel");
  Acquire(SpinLock, true);
}

VOID NTAPI KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK SpinLock) {
  CheckAtDpcLevel("KeReleaseSpinLockFromDpcLevel");
  Release(SpinLock);
}

BOOLEAN NTAPI KeTryToAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock) {
  CheckAtDpcLevel("KeTryToAcquireSpinLockAtDpcLevel");
  return Acquire(SpinLock, false) ? TRUE : FALSE;
}

VOID NTAPI KeAcquireInStackQueuedSpinLock(PKSPIN_LOCK SpinLock, PKLOCK_QUEUE_HANDLE LockHandle) {
  LockHandle->Lock = SpinLock;
  LockHandle->OldIrql = KeAcquireSpinLockRaiseToDpc(SpinLock);
}

VOID NTAPI KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE LockHandle) {
  KeReleaseSpinLock(LockHandle->Lock, LockHandle->OldIrql);
}

KIRQL NTAPI KeGetCurrentIrql(VOID) { return CurrentIrql(); }

VOID NTAPI KeRaiseIrql(KIRQL NewIrql, PKIRQL OldIrql) {
  *OldIrql = CurrentIrql();
  if (NewIrql < *OldIrql) {
    Report(Rule::kIrql, "KeRaiseIrql is called at %s for %s, which is lower.", IrqlName(*OldIrql), IrqlName(NewIrql));
  }
  SetIrql(NewIrql);
}

KIRQL NTAPI KeRaiseIrqlToDpcLevel(VOID) {
  KIRQL before = PASSIVE_LEVEL;
  KeRaiseIrql(DISPATCH_LEVEL, &before);
  return before;
}

VOID NTAPI KeLowerIrql(KIRQL NewIrql) {
  if (const KIRQL level = CurrentIrql(); NewIrql > level) {
    Report(Rule::kIrql, "KeLowerIrql is called at %s for %s, which is higher.", IrqlName(level), IrqlName(NewIrql));
  }
  SetIrql(NewIrql);
}

// A lock of its own level on Windows: any IRQL.
PLIST_ENTRY NTAPI ExInterlockedInsertHeadList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry, PKSPIN_LOCK Lock) {
  Acquire(Lock, true);
  PLIST_ENTRY const first = IsListEmpty(ListHead) ? nullptr : ListHead->Flink;
  InsertHeadList(ListHead, ListEntry);
  Release(Lock);
  return first;
}

PLIST_ENTRY NTAPI ExInterlockedInsertTailList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry, PKSPIN_LOCK Lock) {
  Acquire(Lock, true);
  PLIST_ENTRY const last = IsListEmpty(ListHead) ? nullptr : ListHead->Blink;
  InsertTailList(ListHead, ListEntry);
  Release(Lock);
  return last;
}

PLIST_ENTRY NTAPI ExInterlockedRemoveHeadList(PLIST_ENTRY ListHead, PKSPIN_LOCK Lock) {
  Acquire(Lock, true);
  PLIST_ENTRY const first = IsListEmpty(ListHead) ? nullptr : RemoveHeadList(ListHead);
  Release(Lock);
  return first;
}
