// Run-down protection and remove locks: users of an object, and the wait for their end. See wdm/sync.h.
#include <ntddk.h>

#include "drivers/host/dispatch.h"
#include "drivers/host/kernel.h"
#include "drivers/host/lock.h"
#include "drivers/host/tsan_order.h"

using namespace tandem::drivers::host;

namespace {

constinit Mutex mutex;
constinit Condition changed;

constexpr ULONG_PTR kGoing = 1;  // A user counts 2.
constexpr ULONG_PTR kUser = 2;

}  // namespace

VOID NTAPI ExInitializeRundownProtection(PEX_RUNDOWN_REF RunRef) { RunRef->Count = 0; }

VOID NTAPI ExReInitializeRundownProtection(PEX_RUNDOWN_REF RunRef) {
  CheckIrql("ExReInitializeRundownProtection", APC_LEVEL);
  const Locked locked(mutex);
  RunRef->Count = 0;
}

BOOLEAN NTAPI ExAcquireRundownProtection(PEX_RUNDOWN_REF RunRef) {
  CheckIrql("ExAcquireRundownProtection", DISPATCH_LEVEL);
  const Locked locked(mutex);
  if ((RunRef->Count & kGoing) != 0) return FALSE;
  RunRef->Count += kUser;
  return TRUE;
}

VOID NTAPI ExReleaseRundownProtection(PEX_RUNDOWN_REF RunRef) {
  CheckIrql("ExReleaseRundownProtection", DISPATCH_LEVEL);
  const Locked locked(mutex);
  if (RunRef->Count < kUser) {
    Report(Rule::kMutexOwner, "ExReleaseRundownProtection: nobody has the protection.");
    return;
  }
  RunRef->Count -= kUser;
  changed.Wake();
}

VOID NTAPI ExWaitForRundownProtectionRelease(PEX_RUNDOWN_REF RunRef) {
  CheckIrql("ExWaitForRundownProtectionRelease", APC_LEVEL);
  CheckWait("ExWaitForRundownProtectionRelease", true);
  const Locked locked(mutex);
  RunRef->Count |= kGoing;
  while (RunRef->Count >= kUser) changed.WaitUntil(mutex, kForever);
}

VOID NTAPI ExRundownCompleted(PEX_RUNDOWN_REF RunRef) {
  CheckIrql("ExRundownCompleted", APC_LEVEL);
  const Locked locked(mutex);
  RunRef->Count = kGoing;
}

VOID NTAPI IoInitializeRemoveLockEx(PIO_REMOVE_LOCK Lock, ULONG /*AllocateTag*/, ULONG /*MaxLockedMinutes*/,
                                    ULONG /*HighWatermark*/, ULONG /*RemlockSize*/) {
  CheckIrql("IoInitializeRemoveLock", PASSIVE_LEVEL);
  *Lock = IO_REMOVE_LOCK{};
  Lock->IoCount = 1;
  KeInitializeEvent(&Lock->RemoveEvent, SynchronizationEvent, FALSE);
}

NTSTATUS NTAPI IoAcquireRemoveLockEx(PIO_REMOVE_LOCK RemoveLock, PVOID Tag, CONST CHAR* /*File*/, ULONG /*Line*/,
                                     ULONG RemlockSize) {
  CheckIrql("IoAcquireRemoveLock", DISPATCH_LEVEL);
  InterlockedIncrement(&RemoveLock->IoCount);
  if (__atomic_load_n(&RemoveLock->Removed, __ATOMIC_SEQ_CST) == FALSE) return STATUS_SUCCESS;
  IoReleaseRemoveLockEx(RemoveLock, Tag, RemlockSize);
  return STATUS_DELETE_PENDING;
}

VOID NTAPI IoReleaseRemoveLockEx(PIO_REMOVE_LOCK RemoveLock, PVOID /*Tag*/, ULONG /*RemlockSize*/) {
  CheckIrql("IoReleaseRemoveLock", DISPATCH_LEVEL);
  TellBefore(RemoveLock);
  if (InterlockedDecrement(&RemoveLock->IoCount) == 0) KeSetEvent(&RemoveLock->RemoveEvent, IO_NO_INCREMENT, FALSE);
}

// The caller's own use and the device's end here.
VOID NTAPI IoReleaseRemoveLockAndWaitEx(PIO_REMOVE_LOCK RemoveLock, PVOID /*Tag*/, ULONG /*RemlockSize*/) {
  CheckIrql("IoReleaseRemoveLockAndWait", PASSIVE_LEVEL);
  const BOOLEAN removed = TRUE;
  __atomic_store_n(&RemoveLock->Removed, removed, __ATOMIC_SEQ_CST);
  InterlockedDecrement(&RemoveLock->IoCount);
  if (InterlockedDecrement(&RemoveLock->IoCount) > 0) {
    KeWaitForSingleObject(&RemoveLock->RemoveEvent, Executive, KernelMode, FALSE, nullptr);
  }
  TellAfter(RemoveLock);
}
